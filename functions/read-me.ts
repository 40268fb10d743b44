import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";

import { authenticate } from "../shared/access/caller.ts";
import { toFault } from "../shared/faults.ts";
import { apiKeysTable } from "../shared/ledgers/api-keys.ts";
import { findTenant, tenantsTable } from "../shared/ledgers/tenants.ts";
import { platform } from "../shared/platform/platform.ts";
import { problemResponse } from "../shared/problem.ts";

/** Tells a caller who it is: the first thing to try with a new API key. */
async function readMe(request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  try {
    const { tenantId, keyId, role } = await authenticate(
      await platform().table(apiKeysTable),
      request.headers,
    );
    const tenant = await findTenant(await platform().table(tenantsTable), tenantId);
    return {
      jsonBody: { tenant: { id: tenantId, name: tenant?.name ?? tenantId }, key: { id: keyId, role } },
    };
  } catch (error) {
    const fault = toFault(error);
    if (fault.code === "unexpected") context.error(`read-me failed: ${String(fault.cause)}`);
    return problemResponse(fault, context.invocationId);
  }
}

app.http("read-me", { route: "v1/me", methods: ["GET"], authLevel: "anonymous", handler: readMe });
