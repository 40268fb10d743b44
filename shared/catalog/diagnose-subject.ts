import { nearestSubjects } from "./nearest-subjects.ts";
import { isPattern, subjectsOverlap } from "./subject-pattern.ts";

/** Enough to see what the words are like. */
const mostSiblings = 8;

export interface SubjectDiagnosis {
  readonly message: string;
  /** Nearest first; none where nothing known is near. */
  readonly suggestions: readonly string[];
}

/** Undefined when the pattern can match a known subject: nothing is wrong with it then. */
export function diagnoseSubject(pattern: string, known: readonly string[]): SubjectDiagnosis | undefined {
  if (known.some((subject) => subjectsOverlap(pattern, subject))) return undefined;
  const suggestions = nearestSubjects(pattern, known);
  const what = isPattern(pattern)
    ? `No known subject matches '${pattern}'`
    : `The subject '${pattern}' is unknown`;
  return { message: `${what}${advice(pattern, known, suggestions)}`, suggestions };
}

function advice(pattern: string, known: readonly string[], suggestions: readonly string[]): string {
  if (suggestions.length > 0) return `; did you mean ${quoted(suggestions)}?`;
  const parent = pattern.slice(0, pattern.lastIndexOf(".") + 1);
  const siblings = parent === "" ? [] : known.filter((subject) => subject.startsWith(parent));
  if (siblings.length > 0) {
    const others = siblings.length > mostSiblings ? `, and ${siblings.length - mostSiblings} more` : "";
    return `; known below '${parent.slice(0, -1)}' are ${quoted(siblings.slice(0, mostSiblings))}${others}.`;
  }
  const [system = ""] = pattern.split(".");
  return known.some((subject) => subject.startsWith(`${system}.`))
    ? ", and nothing known is like it."
    : `: nothing from '${system}' is in the catalog, and none of its events has arrived yet.`;
}

function quoted(subjects: readonly string[]): string {
  return subjects.map((subject) => `'${subject}'`).join(", ");
}
