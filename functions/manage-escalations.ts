import { app } from "@azure/functions";

import * as endpoints from "../shared/api/endpoints/escalations.ts";
import { decodeCursor, encodeCursor } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { Fault } from "../shared/faults.ts";
import * as escalations from "../shared/ledgers/escalations.ts";

app.http(
  ...serve(endpoints.listEscalations, async ({ caller, query, platform }) => {
    const table = await platform.table(escalations.escalationsTable);
    const [after] = decodeCursor(query.cursor, 1) ?? [];
    const page = await escalations.listEscalations(table, caller.tenantId, query.limit, after);
    const { acknowledged } = query;
    const wanted = page.items.filter(
      ({ acknowledgedAt }) => acknowledged === undefined || acknowledged === (acknowledgedAt !== undefined),
    );
    const items = wanted.map(({ key, ...escalation }) => ({ ...escalation, key: shownKey(key) }));
    const next = page.after === undefined ? {} : { nextCursor: encodeCursor(page.after) };
    return { status: 200, body: { items, ...next } };
  }),
);

app.http(
  ...serve(endpoints.acknowledgeEscalation, async ({ caller, params, now, platform }) => {
    const table = await platform.table(escalations.escalationsTable);
    const { tenantId, keyId } = caller;
    const key = params.key.replace("-", "|");
    const acknowledged = await escalations.acknowledgeEscalation(table, tenantId, key, keyId, now);
    if (acknowledged === undefined) throw new Fault("not-found");
    return { status: 200, body: { ...acknowledged, key: params.key } };
  }),
);

/** A bar would have to be escaped in an address. */
function shownKey(key: string): string {
  return key.replace("|", "-");
}
