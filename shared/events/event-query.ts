import { invalid } from "../api/invalid.ts";
import { subjectsOverlap } from "../catalog/subject-pattern.ts";
import type { EventSummary } from "../ledgers/events.ts";

/** What a look through the events asks for; whatever is given must hold. */
export interface EventFilter {
  readonly sourceSystem?: string;
  /** May be a pattern. */
  readonly subject?: string;
  readonly connectionId?: string;
  readonly objectType?: string;
  readonly objectId?: string;
  readonly status?: string;
  readonly routeName?: string;
}

const plain = ["sourceSystem", "connectionId", "objectType", "objectId", "status"] as const;

export function acceptsEvent(filter: EventFilter): (event: EventSummary) => boolean {
  const { subject, routeName } = filter;
  return (event) =>
    plain.every((name) => filter[name] === undefined || filter[name] === event[name]) &&
    (subject === undefined || subjectsOverlap(subject, event.subject)) &&
    (routeName === undefined || event.routes.includes(routeName));
}

const dayMs = 86_400_000;
const longestDays = 31;

/** The last day, unless something else is asked for. */
export function rangeOf(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: Date,
): { readonly from: Date; readonly to: Date } {
  const end = to === undefined ? now : new Date(to);
  const begin = from === undefined ? new Date(end.getTime() - dayMs) : new Date(from);
  if (begin > end) throw invalid({ path: "query.from", message: "must not be after to" });
  if (end.getTime() - begin.getTime() > longestDays * dayMs) {
    throw invalid({ path: "query.from", message: `may be ${longestDays} days before to at the most` });
  }
  return { from: begin, to: end };
}

const place = /^\d{14}\|[0-9a-f]{32}$/;

/** Where the last page ended. It goes into a filter, so nothing but a place does. */
export function placeOf(text: string | undefined): string | undefined {
  if (text === undefined || place.test(text)) return text;
  throw invalid({ path: "query.cursor", message: "is not a cursor of this list" });
}
