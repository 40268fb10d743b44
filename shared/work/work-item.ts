import { stableId } from "../envelope/ids.ts";
import type { Envelope } from "../envelope/envelope.ts";

/** One event for one route: what the router puts on the queue `work`. */
export interface WorkItem {
  /** The same for the same event and route, however often it is routed. */
  readonly workId: string;
  readonly tenantId: string;
  readonly routeName: string;
  /** The configuration that was current when the event was routed; it is executed by that one to the end. */
  readonly configHash: string;
  readonly eventId: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly correlationId: string;
  readonly payloadHash: string;
  readonly receivedAt: string;
  readonly routedAt: string;
  /** The attempt this message asks for; a redelivered message asks for the same one. */
  readonly attempt: number;
  /** Attempts made before a person asked for it again: they do not count against the retry profile. */
  readonly attemptsBefore?: number;
  /** The watch-events subscription that chose the route, where one did. */
  readonly subscriptionName?: string;
  readonly replayId?: string;
  readonly envelope: Envelope;
}

/** What became of a work item. */
export const workStatuses = [
  "DONE",
  "DEDUPE_HIT",
  "STALE",
  "RETRYING",
  "RATE_LIMITED",
  "BUSY",
  "HELD",
  "DEAD_LETTERED",
  "QUARANTINED",
] as const;
export type WorkStatus = (typeof workStatuses)[number];

export interface WorkOutcome {
  readonly status: WorkStatus;
  readonly processedAt: string;
  readonly sideEffectRefs: readonly string[];
  /** The idempotency key, where the route keeps a ledger. */
  readonly ledgerRef?: string;
  readonly failureId?: string;
}

export function workIdOf(eventId: string, routeName: string): string {
  return stableId("work", eventId, routeName);
}
