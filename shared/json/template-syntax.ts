import { parsePath, PathProblem } from "./paths.ts";

/**
 * A template is a text with `{{path}}` in it. `\{{` stands for two braces that open nothing.
 */
export type Part =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "placeholder"; readonly path: string }
  /** Two braces that nothing closes: taken as they stand when filled in, a problem when checked. */
  | { readonly kind: "unclosed"; readonly text: "{{" };

export class TemplateProblem extends Error {
  override readonly name = "TemplateProblem";
  /** The placeholder's path, where one is to blame. */
  readonly path: string | undefined;

  constructor(message: string, path?: string) {
    super(message);
    this.path = path;
  }
}

/** The bound on a path's length keeps the search linear, whatever the text. */
const braces = /\\\{\{|\{\{(?<path>[^{}]{0,300})\}\}|\{\{/g;

export function partsOf(template: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const match of template.matchAll(braces)) {
    if (match.index > from) parts.push({ kind: "literal", text: template.slice(from, match.index) });
    parts.push(partOf(match[0], match.groups?.["path"]));
    from = match.index + match[0].length;
  }
  if (from < template.length) parts.push({ kind: "literal", text: template.slice(from) });
  return parts;
}

/** The paths that a JSON template reads. Throws a `TemplateProblem` where a text of it is not well written. */
export function pathsIn(template: unknown): string[] {
  if (typeof template === "string") return partsOf(template).flatMap(checkedPath);
  if (typeof template !== "object" || template === null) return [];
  return Object.values(template).flatMap(pathsIn);
}

function partOf(match: string, path: string | undefined): Part {
  if (path !== undefined) return { kind: "placeholder", path: path.trim() };
  return match === "{{" ? { kind: "unclosed", text: "{{" } : { kind: "literal", text: "{{" };
}

function checkedPath(part: Part): string[] {
  if (part.kind === "literal") return [];
  if (part.kind === "unclosed") {
    throw new TemplateProblem(`"{{" has no path and "}}" after it; write "\\{{" for the braces themselves.`);
  }
  try {
    parsePath(part.path);
  } catch (error) {
    throw error instanceof PathProblem ? new TemplateProblem(error.message, part.path) : error;
  }
  return [part.path];
}
