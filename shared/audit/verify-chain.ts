import type { TableClient } from "@azure/data-tables";

import { listAudit, newestFirst, readHead } from "../ledgers/audit.ts";
import { type Break, follow, followToEnd, type Link } from "./verify.ts";

export interface Verdict {
  readonly ok: boolean;
  readonly checked: number;
  readonly head?: Link;
  readonly break?: Break;
  /** Where to go on; absent when the chain was followed to its end. */
  readonly next?: Link;
}

const pageSize = 1_000;
const maxPages = 5;

/** Follows a tenant's chain from `from`, or from its head, for as long as one request should take. */
export async function verifyChain(
  table: TableClient,
  tenantId: string,
  from: Link | undefined,
  anchor: Link | undefined,
): Promise<Verdict> {
  const start = from ?? (await startOf(table, tenantId));
  const head = from === undefined && start !== undefined && start.hash !== "" ? { head: start } : {};
  if (start === undefined) return anchor === undefined ? { ok: true, checked: 0 } : missing(anchor);
  if (anchor !== undefined && from === undefined && anchor.seq > start.seq)
    return { ...missing(anchor), ...head };
  let next = start;
  let checked = 0;
  for (let page = 0; page < maxPages; page++) {
    const entries = await listAudit(table, tenantId, next.seq + 1, pageSize);
    const followed = follow(next, entries, anchor);
    if (followed.kind === "broken") return { ok: false, checked, ...head, break: followed.at };
    checked += entries.length;
    next = followed.next;
    if (entries.length === pageSize) continue;
    const ended = followToEnd(next);
    return ended.kind === "broken"
      ? { ok: false, checked, ...head, break: ended.at }
      : { ok: true, checked, ...head };
  }
  return { ok: true, checked, ...head, next };
}

/** A head that is gone while entries are there was taken away: the newest of them then breaks the chain. */
async function startOf(table: TableClient, tenantId: string): Promise<Link | undefined> {
  const head = await readHead(table, tenantId);
  if (head !== undefined) return { seq: head.seq, hash: head.hash };
  const [newest] = await listAudit(table, tenantId, newestFirst, 1);
  return newest === undefined ? undefined : { seq: newest.seq + 1, hash: "" };
}

function missing({ seq }: Link): Verdict {
  return { ok: false, checked: 0, break: { seq, reason: "entry-missing" } };
}
