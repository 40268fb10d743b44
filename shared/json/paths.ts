/**
 * Paths into JSON, as filters, templates and key formulas use them:
 *
 *   pull_request.number        a property of a property
 *   commits[0].id              an item of a list
 *   labels[*].name             of every item; whatever is found comes as one flat list
 *   fields["DE:Cost centre"]   a property whose name has dots, brackets or blanks in it
 */
export type Step =
  | { readonly kind: "property"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "each" };

export type Path = readonly Step[];

/** The text is no path: what is wrong with it, in words. */
export class PathProblem extends Error {
  override readonly name = "PathProblem";
}

const token =
  /\.?(?<name>[^.[\]{}"'\s]+)|\[(?<index>\d{1,9})\]|\[(?<each>\*)\]|\[(?<quoted>"(?:[^"\\]|\\.)*")\]/y;

export function parsePath(text: string): Path {
  if (text === "") throw new PathProblem("The path is empty.");
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) {
    token.lastIndex = at;
    const match = token.exec(text);
    const step = match === null ? undefined : stepOf(match.groups ?? {});
    // A name needs a dot before it unless it comes first, and the first must not have one.
    const dotted = text[at] === ".";
    if (match === null || step === undefined || (step.kind === "property" && !wellPlaced(text, at, dotted))) {
      throw new PathProblem(problemAt(text, at));
    }
    steps.push(step);
    at += match[0].length;
  }
  return steps;
}

/** What stands at the path, or undefined. Only own properties count, and nothing a sender wrote makes it throw. */
export function readPath(value: unknown, path: string | Path): unknown {
  const steps = typeof path === "string" ? parsedOnce(path) : path;
  return steps === undefined ? undefined : follow(value, steps, 0);
}

export function hasEach(path: string): boolean {
  return parsedOnce(path)?.some(({ kind }) => kind === "each") ?? false;
}

/** The same way of writing, for messages about a place in a document. */
export function formatPath(steps: readonly (string | number)[]): string {
  const text = steps.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return /^[^.[\]{}"'\s]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return text.join("").replace(/^\./, "");
}

function follow(value: unknown, path: Path, from: number): unknown {
  let found = value;
  for (let at = from; at < path.length; at++) {
    const step = path[at];
    if (step === undefined || typeof found !== "object" || found === null) {
      return restHasEach(path, at) ? [] : undefined;
    }
    if (step.kind === "each") {
      const items: readonly unknown[] = Array.isArray(found) ? found : [];
      return items.flatMap((item) => {
        const below = follow(item, path, at + 1);
        if (below === undefined) return [];
        return restHasEach(path, at + 1) ? below : [below];
      });
    }
    found = step.kind === "index" ? itemOf(found, step.index) : propertyOf(found, step.name);
  }
  return found;
}

function itemOf(value: object, index: number): unknown {
  return Array.isArray(value) ? value[index] : undefined;
}

function propertyOf(value: object, name: string): unknown {
  if (Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}

function restHasEach(path: Path, from: number): boolean {
  for (let at = from; at < path.length; at++) if (path[at]?.kind === "each") return true;
  return false;
}

const parsed = new Map<string, Path | undefined>();
const parsedLimit = 2_000;

/** Routes read the same few paths for every event. */
function parsedOnce(text: string): Path | undefined {
  const known = parsed.get(text);
  if (known !== undefined || parsed.has(text)) return known;
  if (parsed.size >= parsedLimit) parsed.clear();
  const path = parsedOrNothing(text);
  parsed.set(text, path);
  return path;
}

function parsedOrNothing(text: string): Path | undefined {
  try {
    return parsePath(text);
  } catch {
    return undefined;
  }
}

function stepOf(groups: Readonly<Record<string, string | undefined>>): Step | undefined {
  const { name, index, each, quoted } = groups;
  if (name !== undefined) return { kind: "property", name };
  if (index !== undefined) return { kind: "index", index: Number(index) };
  if (each !== undefined) return { kind: "each" };
  const unquoted = quoted === undefined ? undefined : textIn(quoted);
  return unquoted === undefined ? undefined : { kind: "property", name: unquoted };
}

function textIn(quoted: string): string | undefined {
  try {
    const text: unknown = JSON.parse(quoted);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function wellPlaced(text: string, at: number, dotted: boolean): boolean {
  return text[at] === "[" || dotted === at > 0;
}

function problemAt(text: string, at: number): string {
  const where = `${JSON.stringify(text)} is not a path: character ${at + 1}`;
  if (text[at] === "[") return `${where} opens a bracket that holds no number, no * and no quoted name.`;
  if (text[at] === ".") return `${where} is a dot with no name after it, or nothing before it.`;
  return `${where} does not fit. Write names with dots between, [0] for an item, [*] for all, ["a name"] for any.`;
}
