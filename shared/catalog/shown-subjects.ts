import type { ObservedSubject } from "../ledgers/subjects.ts";
import { catalog, findKnownSubject, type KnownSubject } from "./catalog.ts";

/** A subject as the catalog shows it: what is known of it, and what was seen of it. */
export interface ShownSubject {
  readonly subject: string;
  /** Whether the built-in catalog has it. */
  readonly known: boolean;
  readonly source?: string;
  readonly title?: string;
  readonly schema?: KnownSubject["schema"];
  readonly observed?: Pick<ObservedSubject, "count" | "firstSeen" | "lastSeen">;
}

export interface SubjectFilter {
  readonly source?: string;
  readonly observed?: boolean;
}

/** Known and observed ones together, by name. */
export function shownSubjects(
  observed: readonly ObservedSubject[],
  { source, observed: isWanted }: SubjectFilter = {},
): ShownSubject[] {
  const seen = new Set(observed.map(({ subject }) => subject));
  const unseen = catalog.filter(({ subject }) => !seen.has(subject)).map(({ subject }) => ({ subject }));
  return [...observed, ...unseen]
    .filter((one) => isWanted === undefined || isWanted === "count" in one)
    .map((one) => shownSubject(one.subject, "count" in one ? one : undefined))
    .filter((one) => source === undefined || isOf(one, source))
    .toSorted((a, b) => (a.subject < b.subject ? -1 : 1));
}

export function shownSubject(subject: string, observed: ObservedSubject | undefined): ShownSubject {
  const known = findKnownSubject(subject);
  return {
    subject,
    known: known !== undefined,
    ...(known && { source: known.source, title: known.title, schema: known.schema }),
    ...(observed && {
      observed: { count: observed.count, firstSeen: observed.firstSeen, lastSeen: observed.lastSeen },
    }),
  };
}

/** One that nobody knows begins with the name of its system. */
function isOf({ subject, source }: ShownSubject, wanted: string): boolean {
  return source === undefined ? subject.startsWith(`${wanted}.`) : source === wanted;
}
