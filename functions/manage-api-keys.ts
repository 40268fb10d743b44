import { app } from "@azure/functions";

import { formatApiKey, hashSecret, newApiKey } from "../shared/access/api-key.ts";
import { createApiKey, disableApiKey, listApiKeys } from "../shared/api/endpoints/api-keys.ts";
import { readExpiry } from "../shared/access/expiry.ts";
import { decodeCursor, encodeCursor, pageOf } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { Fault } from "../shared/faults.ts";
import * as apiKeys from "../shared/ledgers/api-keys.ts";

app.http(
  ...serve(createApiKey, async ({ caller, body, now, platform }) => {
    const { name, role } = body;
    const expiresAt = body.expiresAt === undefined ? undefined : readExpiry(body.expiresAt, now);
    const key = newApiKey();
    const shown = { name, role, createdAt: now, ...(expiresAt && { expiresAt }), disabled: false };
    const row = { tenantId: caller.tenantId, secretHash: hashSecret(key.secret), ...shown };
    await apiKeys.issueApiKey(await platform.table(apiKeys.apiKeysTable), key.id, row);
    return { status: 201, body: { keyId: key.id, ...shown, apiKey: formatApiKey(key) } };
  }),
);

app.http(
  ...serve(listApiKeys, async ({ caller, query, platform }) => {
    const { limit } = query;
    const [after = ""] = decodeCursor(query.cursor, 1) ?? [];
    const table = await platform.table(apiKeys.apiKeysTable);
    const found = await apiKeys.listApiKeys(table, caller.tenantId, after, limit + 1);
    const { items, ...rest } = pageOf(found, limit, ({ keyId }) => encodeCursor(keyId));
    const shown = items.map(({ tenantId: _, ...key }) => key);
    return { status: 200, body: { items: shown, ...rest } };
  }),
);

app.http(
  ...serve(disableApiKey, async ({ caller, params, now, platform }) => {
    const table = await platform.table(apiKeys.apiKeysTable);
    const outcome = await apiKeys.disableApiKey(table, caller.tenantId, params.keyId, now);
    if (outcome === "absent") throw new Fault("not-found");
    if (outcome === "last-admin") {
      throw new Fault("conflict", "This is the last key of an administrator: issue another one first.");
    }
    return { status: 204 };
  }),
);
