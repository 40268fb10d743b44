import { app } from "@azure/functions";

import { listAudit, verifyAudit } from "../shared/api/endpoints/audit.ts";
import { invalid } from "../shared/api/invalid.ts";
import { decodeCursor, decodeSequence, encodeCursor, pageOf, sequenceOf } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { shownEntry } from "../shared/audit/shown-entry.ts";
import { verifyChain } from "../shared/audit/verify-chain.ts";
import * as audit from "../shared/ledgers/audit.ts";

app.http(
  ...serve(listAudit, async ({ caller, query, platform }) => {
    const { limit } = query;
    const table = await platform.table(audit.auditTable);
    const from = decodeSequence(query.cursor) ?? audit.newestFirst;
    const found = await audit.listAudit(table, caller.tenantId, from, limit + 1);
    const { items, ...rest } = pageOf(found, limit, ({ seq }) => encodeCursor(String(seq)));
    return { status: 200, body: { items: items.map(shownEntry), ...rest } };
  }),
);

app.http(
  ...serve(verifyAudit, async ({ caller, query, platform }) => {
    const { anchorSeq, anchorHash } = query;
    if ((anchorSeq === undefined) !== (anchorHash === undefined)) {
      throw invalid({ path: "query", message: "anchorSeq and anchorHash go together" });
    }
    const anchor = anchorSeq && anchorHash ? { seq: anchorSeq, hash: anchorHash } : undefined;
    const [seq, hash = ""] = decodeCursor(query.cursor, 2) ?? [];
    const from = seq === undefined ? undefined : { seq: sequenceOf(seq), hash };
    const table = await platform.table(audit.auditTable);
    const { next, ...verdict } = await verifyChain(table, caller.tenantId, from, anchor);
    const nextCursor = next && { nextCursor: encodeCursor(String(next.seq), next.hash) };
    return { status: 200, body: { ...verdict, ...nextCursor } };
  }),
);
