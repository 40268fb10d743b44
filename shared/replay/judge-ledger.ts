import type { EffectiveRoute } from "../config/effective.ts";
import { type Effect, findEffect } from "../ledgers/effects.ts";
import type { WorkItem } from "../work/work-item.ts";
import type { JudgedWork, Judging } from "./judged.ts";

type ByLedger = Pick<JudgedWork, "verdict" | "action"> & Pick<Partial<JudgedWork>, "detail" | "done">;

/**
 * What the ledger says about doing it. `keyBefore` is the key by the configuration it failed with: should the formula
 * have changed since, what was done or begun under the old key counts all the same.
 */
export async function judgeByLedger(
  { services, tenantId, now }: Judging,
  route: EffectiveRoute,
  item: WorkItem,
  key: string,
  keyBefore: string | undefined,
): Promise<ByLedger> {
  if (!route.ledger.required) {
    return { verdict: "would-run", action: "execute", detail: "The route keeps no ledger." };
  }
  const { effects } = services.tables;
  const effect = await findEffect(effects, { tenantId, key });
  const standing = effect === undefined ? undefined : judgeEffect(effect, route, item, now);
  if (standing !== undefined) return standing;
  const before =
    keyBefore === undefined || keyBefore === key
      ? undefined
      : await findEffect(effects, { tenantId, key: keyBefore });
  return judgeOldKey(before) ?? { verdict: "would-run", action: "execute" };
}

function judgeEffect(effect: Effect, route: EffectiveRoute, item: WorkItem, now: Date): ByLedger | undefined {
  if (effect.state === "done") return { ...dedupeHit(effect), action: "execute" };
  const isHeld = effect.state === "claimed" && effect.leaseUntil > now;
  const isOthers = effect.state === "waiting" && effect.correlationId !== item.correlationId;
  const isAwaited = isOthers && effect.nextAttemptAt !== undefined && effect.nextAttemptAt > now;
  if (isHeld || isAwaited) return { verdict: "busy", action: "execute" };
  const inDoubt = effect.mayHaveHappened || effect.state === "claimed";
  return inDoubt ? { verdict: "in-doubt", action: "execute", detail: whatIsAsked(route) } : undefined;
}

function judgeOldKey(effect: Effect | undefined): ByLedger | undefined {
  if (effect?.state === "done") return { ...dedupeHit(effect), action: "resolve" };
  if (effect === undefined || !(effect.mayHaveHappened || effect.state === "claimed")) return undefined;
  return {
    verdict: "in-doubt",
    action: "leave",
    detail:
      "The route's key has changed since, so the vendor could not be asked about the earlier attempt: replay it with the " +
      "configuration it failed with (config: pinned).",
  };
}

function dedupeHit({ sideEffectRef = "", doneAt }: Effect): Pick<ByLedger, "verdict" | "done"> {
  return {
    verdict: "dedupe-hit",
    done: { sideEffectRef, ...(doneAt === undefined ? {} : { at: doneAt }) },
  };
}

function whatIsAsked({ operation, inDoubt }: EffectiveRoute): string {
  const { lookup, idempotencyHeader, method } = operation;
  if (lookup !== undefined) {
    return `The vendor would be asked first: ${lookup.method ?? "GET"} ${lookup.path}.`;
  }
  if (idempotencyHeader !== undefined || method === "GET") {
    return "It would be sent again under the same key, which the vendor is trusted to honour.";
  }
  return inDoubt === "retry"
    ? "The vendor cannot be asked; the route wants it sent again all the same."
    : "The vendor cannot be asked, so it would be parked again: find out, then discard it, or let the route retry.";
}
