import { PayloadProblem } from "./source.ts";

/** Routes name a subject in 200 characters: what follows a longer one could never be matched. */
const longestSubject = 200;
const longestSegment = 64;

/**
 * Makes a subject of texts that come from outside: `.` and `:` separate, and what is not a letter, a digit, `_` or `-`
 * becomes `_`, so that nobody can smuggle a wildcard or another source's subject into a payload. `field` is blamed
 * when nothing is left.
 */
export function subjectOf(prefix: string, field: string, ...texts: readonly string[]): string {
  const segments = texts.flatMap((text) => segmentsOf(text, field));
  let subject = `${prefix}.events`;
  for (const segment of segments) {
    if (subject.length + 1 + segment.length > longestSubject) break;
    subject += `.${segment}`;
  }
  return subject;
}

/** At least one. */
export function segmentsOf(text: string, field: string): readonly [string, ...string[]] {
  const [first, ...others] = text
    .toLowerCase()
    .split(/[.:]/)
    .map((segment) =>
      segment
        .trim()
        .replaceAll(/[^a-z0-9_-]/g, "_")
        .slice(0, longestSegment),
    )
    .filter((segment) => segment !== "");
  if (first === undefined)
    throw new PayloadProblem(field, `'${field}' holds nothing a subject can be made of.`);
  return [first, ...others];
}

/** `invoice.payment_failed` is a `payment_failed` of an `invoice`; a single word is both. */
export function splitType(
  type: string,
  field: string,
): { readonly objectType: string; readonly eventType: string } {
  const segments = segmentsOf(type, field);
  const eventType = segments.at(-1) ?? segments[0];
  return { objectType: segments.length === 1 ? eventType : segments.slice(0, -1).join("."), eventType };
}
