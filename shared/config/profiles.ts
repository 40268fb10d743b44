import type { RateProfile, RetryProfile } from "./route-schema.ts";

/**
 * The profiles every tenant has. A configuration may add its own, but not redefine these: a name must mean the same
 * in every environment.
 */
const oneToFifteenMinutes = [60, 120, 240, 480, 900];

/** Spread by a fifth, so that what failed together does not return together. */
export const defaultJitter = 0.2;

export const retryProfiles = {
  STANDARD: { waitsSeconds: oneToFifteenMinutes },
  STANDARD_5: { waitsSeconds: oneToFifteenMinutes },
  /** Eight attempts in about an hour: a subscriber that deploys or restarts is back by then. */
  WEBHOOK_8: { waitsSeconds: [...oneToFifteenMinutes, 900, 900] },
  /** A quarter of an hour in all: a step must end, one way or the other, while its saga still holds its lock of 30 min. */
  SAGA_STANDARD: { waitsSeconds: [60, 120, 240, 480] },
  NONE: { waitsSeconds: [] },
} satisfies Record<string, RetryProfile>;

export const rateProfiles = {
  /** As fast as the queue and the vendor allow. */
  STANDARD: { mode: "queue" },
  /** Acted on at once, without a queue in between. For few and cheap events; above two a second it holds back. */
  INLINE: { mode: "inline", rateLimitPerMin: 120 },
  /** Feeds and exports: events gather for five minutes and go out in even batches a rate-limited vendor can take. */
  FEED_SAFE_5MIN: {
    mode: "drain",
    rateLimitPerMin: 120,
    workerBatchSize: 50,
    drainIntervalMin: 5,
    maxCyclesPerRun: 2,
  },
  /** Each item sets off many dependent steps: few at a time, and never a second batch while the first may still run. */
  SAGA_CONSERVATIVE_5MIN: {
    mode: "drain",
    rateLimitPerMin: 30,
    workerBatchSize: 5,
    drainIntervalMin: 5,
    maxCyclesPerRun: 1,
  },
} satisfies Record<string, RateProfile>;

export const defaultProfile = "STANDARD";

/** What a route is paced by where neither it nor its profile says otherwise. */
export const defaultPace = {
  mode: "queue",
  workerBatchSize: 50,
  drainIntervalMin: 5,
  maxCyclesPerRun: 2,
} satisfies RateProfile;

/**
 * What makes two pieces of work the same one, as paths of the key's scope (`routing/ledger-key.ts`). The object is named
 * by its system, type and id, for a route may serve several types whose ids overlap.
 */
const sameObject = ["routeName", "sourceSystem", "objectType", "objectId", "intendedAction", "targetSystem"];

export const keyFormulas = {
  /** Once for the object, ever. */
  RECORD: sameObject,
  /** Once for each distinct payload about the object. */
  OPERATION: [...sameObject, "payloadHash"],
  /** Once for each delivery of the source, even if it says the same again. */
  DELIVERY: [...sameObject, "eventId"],
  /**
   * Of a watch-events subscription. The hash rather than the time: a payload that names its time has it in the hash,
   * and one that does not would get another time with every duplicate.
   */
  WATCH_EVENT: [...sameObject, "subscriptionName", "eventType", "payloadHash"],
} satisfies Record<string, readonly string[]>;

/** Own properties only: `constructor` is no profile. */
export function named<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
