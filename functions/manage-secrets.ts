import { app } from "@azure/functions";

import { deleteSecret, listSecrets, putSecret } from "../shared/api/endpoints/secrets.ts";
import { decodeCursor, encodeCursor, pageOf } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { deleteTenantSecret, setTenantSecret } from "../shared/connections/set-tenant-secret.ts";
import { listTenantSecrets, tenantSecretsTable } from "../shared/ledgers/tenant-secrets.ts";

app.http(
  ...serve(putSecret, async ({ caller, params, body, now, platform }) => {
    const { name } = params;
    const { createdAt, updatedAt } = await setTenantSecret(platform, caller.tenantId, name, body.value, now);
    return { status: 200, body: { name, createdAt, updatedAt } };
  }),
);

app.http(
  ...serve(listSecrets, async ({ caller, query, platform }) => {
    const { limit } = query;
    const [after = ""] = decodeCursor(query.cursor, 1) ?? [];
    const table = await platform.table(tenantSecretsTable);
    const found = await listTenantSecrets(table, caller.tenantId, after, limit + 1);
    return { status: 200, body: pageOf(found, limit, ({ name }) => encodeCursor(name)) };
  }),
);

app.http(
  ...serve(deleteSecret, async ({ caller, params, platform }) => {
    await deleteTenantSecret(platform, caller.tenantId, params.name);
    return { status: 204 };
  }),
);
