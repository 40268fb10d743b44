import { invalid } from "../api/invalid.ts";
import type { FieldError } from "../faults.ts";
import type { NewReplay } from "./request-schema.ts";
import {
  type EventSelector,
  type FailureSelector,
  replayDefaults,
  type ReplaySettings,
  type Selector,
} from "./selector.ts";

export interface ReplayRequest {
  readonly selector: Selector;
  readonly settings: ReplaySettings;
  readonly dryRun: boolean;
}

/** What a schema cannot say: one selector, times in order, and nothing that contradicts itself. */
export function readReplayRequest(body: NewReplay, now: Date): ReplayRequest {
  const { failureIds, failures, events, dryRun = true } = body;
  const given = [failureIds, failures, events].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw invalid({ path: "body", message: "must have exactly one of failureIds, failures and events" });
  }
  const errors = [
    ...(failures === undefined ? [] : orderErrors("body.failures", failures)),
    ...(events === undefined ? [] : eventErrors(events, body.config, now)),
  ];
  if (errors.length > 0) throw invalid(...errors);
  return { selector: selectorOf(body), settings: settingsOf(body), dryRun };
}

function selectorOf({ failureIds, failures, events }: NewReplay): Selector {
  if (failureIds !== undefined) return { failureIds: [...new Set(failureIds)] };
  if (failures !== undefined) return { failures: sinceEpoch(failures) };
  const { eventIds, routeName, ...range } = events ?? {};
  const only = routeName === undefined ? {} : { routeName };
  // Selected newest first and done from the last: so those named come in the order they were named.
  return eventIds === undefined
    ? { events: { ...sinceEpoch(range), ...only } }
    : { events: { eventIds: [...new Set(eventIds)].toReversed(), ...only } };
}

function settingsOf(body: NewReplay): ReplaySettings {
  const { config, ratePerMinute, stages, stopAboveFailureRatio, maxItems } = body;
  return {
    config: config ?? replayDefaults.config,
    ratePerMinute: ratePerMinute ?? replayDefaults.ratePerMinute,
    stages: stages ?? replayDefaults.stages,
    stopAboveFailureRatio: stopAboveFailureRatio ?? replayDefaults.stopAboveFailureRatio,
    maxItems: maxItems ?? replayDefaults.maxItems,
  };
}

const longestRangeDays = 31;
const dayMs = 86_400_000;

function eventErrors(events: EventSelector, config: string | undefined, now: Date): FieldError[] {
  const errors: FieldError[] = [];
  if (config === "pinned") {
    errors.push({ path: "body.config", message: "must be current: events are routed again" });
  }
  const { eventIds, routeName: _, ...range } = events;
  if (eventIds !== undefined) {
    const others = Object.keys(range).map((name) => ({
      path: `body.events.${name}`,
      message: "cannot stand beside eventIds",
    }));
    return [...errors, ...others];
  }
  if (range.from === undefined) {
    return [...errors, { path: "body.events.from", message: "is missing, and eventIds as well" }];
  }
  const until = Math.min(range.to === undefined ? now.getTime() : Date.parse(range.to), now.getTime());
  if (until - Date.parse(range.from) > longestRangeDays * dayMs) {
    const message = `must be at most ${longestRangeDays} days before the end of the range`;
    errors.push({ path: "body.events.from", message });
  }
  return [...errors, ...orderErrors("body.events", range)];
}

function orderErrors(path: string, { from, to }: FailureSelector | EventSelector): FieldError[] {
  const isBackwards = from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to);
  return isBackwards ? [{ path: `${path}.to`, message: "must not be before from" }] : [];
}

/** Nothing is older, and the keys of the tables have no place for it. */
function sinceEpoch<T extends { readonly from?: string; readonly to?: string }>(range: T): T {
  const clamped = (time: string): string => new Date(Math.max(0, Date.parse(time))).toISOString();
  return {
    ...range,
    ...(range.from === undefined ? {} : { from: clamped(range.from) }),
    ...(range.to === undefined ? {} : { to: clamped(range.to) }),
  };
}
