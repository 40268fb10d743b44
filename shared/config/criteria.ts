import { subjectsOverlap } from "../catalog/subject-pattern.ts";
import type { Envelope } from "../envelope/envelope.ts";

/** What a route or a subscription says about the events it is for: whatever is given must hold. */
export interface Criteria {
  readonly subject?: string | undefined;
  readonly sourceSystem?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly objectType?: string | undefined;
  readonly eventType?: string | undefined;
}

const plainCriteria = ["sourceSystem", "connectionId", "objectType", "eventType"] as const;

/** Which attribute of the event each of the plain criteria is compared with. */
const attributes = {
  sourceSystem: "sourcesystem",
  connectionId: "connectionid",
  objectType: "objecttype",
  eventType: "eventtype",
} as const satisfies Record<(typeof plainCriteria)[number], keyof Envelope>;

type Attribute = (typeof attributes)[keyof typeof attributes];

/** A subscription may ask for every type there is; a route that asks for nothing matches nothing by itself. */
export function hasCriteria(criteria: Criteria): boolean {
  return criteria.subject !== undefined || plainCriteria.some((name) => criteria[name] !== undefined);
}

export function meetsSubject({ subject }: Criteria, type: string): boolean {
  return subject === undefined || subject === type || subjectsOverlap(subject, type);
}

/** All but the subject. */
export function meetsAttributes(criteria: Criteria, envelope: Pick<Envelope, Attribute>): boolean {
  return plainCriteria.every(
    (name) => isOpen(criteria[name]) || criteria[name] === envelope[attributes[name]],
  );
}

/** Whether there can be an event that meets both. */
export function mayBothMeet(left: Criteria, right: Criteria): boolean {
  return (
    (left.subject === undefined ||
      right.subject === undefined ||
      subjectsOverlap(left.subject, right.subject)) &&
    plainCriteria.every((name) => isOpen(left[name]) || isOpen(right[name]) || left[name] === right[name])
  );
}

/** Greater is more specific: first by how much is asked for, then by how little of that is left open. */
export function compareSpecificity(left: Criteria, right: Criteria): number {
  return asked(left) - asked(right) || wildcards(right) - wildcards(left);
}

function isOpen(wanted: string | undefined): boolean {
  return wanted === undefined || wanted === "*";
}

function asked(criteria: Criteria): number {
  return (
    (criteria.subject === undefined ? 0 : 1) + plainCriteria.filter((name) => !isOpen(criteria[name])).length
  );
}

function wildcards({ subject = "" }: Criteria): number {
  return subject.split(".").filter((segment) => segment === "*" || segment === "#").length;
}
