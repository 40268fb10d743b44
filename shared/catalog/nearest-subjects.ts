import { wordDistance } from "./distance.ts";

/** A segment too many or too few counts as much as so many slips of the finger. */
const segmentCost = 3;
const differentWord = Infinity;
/** One word in place of another is a segment too many and one too few: that is no slip. */
const mostMistakes = 5;
const mostSegments = 12;

interface Ranked {
  readonly subject: string;
  readonly distance: number;
}

/** Those a misspelt subject was probably meant to be, nearest first. Wildcards on either side fit anything. */
export function nearestSubjects(
  subject: string,
  known: Iterable<string>,
  most: number = 3,
): readonly string[] {
  const wanted = subject.toLowerCase().split(".");
  if (wanted.length > mostSegments) return [];
  const segmentDistance = rememberedDistance();
  const ranked: Ranked[] = [];
  for (const candidate of new Set(known)) {
    const distance = subjectDistance(wanted, candidate.toLowerCase().split("."), segmentDistance);
    if (distance <= mostMistakes) ranked.push({ subject: candidate, distance });
  }
  // Beside one that is a letter away, one that is three away is noise.
  const nearest = Math.min(...ranked.map(({ distance }) => distance));
  return ranked
    .filter(({ distance }) => distance <= nearest + 1)
    .toSorted((a, b) => a.distance - b.distance || (a.subject < b.subject ? -1 : 1))
    .slice(0, most)
    .map((one) => one.subject);
}

function subjectDistance(
  wanted: readonly string[],
  candidate: readonly string[],
  segmentDistance: (from: string, to: string) => number,
): number {
  let last: readonly number[] = [0];
  for (const other of candidate) last = [...last, (last.at(-1) ?? 0) + insertionCost(other)];
  for (const segment of wanted) {
    const row = [(last[0] ?? 0) + insertionCost(segment)];
    for (const [at, other] of candidate.entries()) {
      const changed = (last[at] ?? 0) + segmentDistance(segment, other);
      const dropped = (last[at + 1] ?? 0) + (other === "#" ? 0 : insertionCost(segment));
      const added = (row[at] ?? 0) + (segment === "#" ? 0 : insertionCost(other));
      row.push(Math.min(changed, dropped, added));
    }
    last = row;
  }
  return last.at(-1) ?? 0;
}

function insertionCost(segment: string): number {
  return segment === "#" ? 0 : segmentCost;
}

/** Subjects share most of their segments: each pair is compared once. */
function rememberedDistance(): (from: string, to: string) => number {
  const distances = new Map<string, number>();
  return (from, to) => {
    if (from === to || [from, to].some((segment) => segment === "*" || segment === "#")) return 0;
    const key = `${from}.${to}`;
    const known = distances.get(key);
    if (known !== undefined) return known;
    const limit = slipsAllowed(from);
    const distance = wordDistance(from, to, limit);
    distances.set(key, distance > limit ? differentWord : distance);
    return distance > limit ? differentWord : distance;
  };
}

/** With more mistakes than two in five letters a word is another word. */
function slipsAllowed(word: string): number {
  return Math.min(4, Math.max(1, Math.round(word.length / 2.5)));
}
