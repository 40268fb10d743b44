import { app } from "@azure/functions";

import { readMe } from "../shared/api/endpoints/me.ts";
import { serve } from "../shared/api/serve.ts";
import { findTenant, tenantsTable } from "../shared/ledgers/tenants.ts";

app.http(
  ...serve(readMe, async ({ caller, platform }) => {
    const { tenantId, keyId, role } = caller;
    const tenant = await findTenant(await platform.table(tenantsTable), tenantId);
    const body = { tenant: { id: tenantId, name: tenant?.name ?? tenantId }, key: { id: keyId, role } };
    return { status: 200, body };
  }),
);
