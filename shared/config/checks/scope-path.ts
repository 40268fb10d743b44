import { nearest } from "../../json/nearest.ts";
import { formatPath, parsePath, PathProblem } from "../../json/paths.ts";
import { type Diagnostic, type DiagnosticCode, diagnostic } from "../diagnostic.ts";
import { eventAttributes } from "../scopes.ts";

/** Whether a path begins with something its scope has, and names an attribute of the event that exists. */
export function checkScopePath(
  code: DiagnosticCode,
  where: readonly (string | number)[],
  path: string,
  roots: readonly string[],
): Diagnostic[] {
  const place = formatPath(where);
  const [first, second] = firstNames(path);
  if (first instanceof PathProblem) return [diagnostic(code, place, first.message)];
  if (!roots.includes(first)) {
    const meant = nearest(first, roots);
    const suggestion = meant === undefined ? `data.${path}` : path.replace(first, meant);
    const message = `${path} begins with ${first}, which is not known here; it may begin with ${roots.join(", ")}.`;
    return [diagnostic(code, place, message, suggestion)];
  }
  if (first !== "event" || second === undefined || eventAttributes.some((name) => name === second)) return [];
  const meant = nearest(second, eventAttributes);
  const message = `An event has no attribute ${second}; it has ${eventAttributes.join(", ")}.`;
  return [diagnostic(code, place, message, meant === undefined ? undefined : `event.${meant}`)];
}

/** Whether the text is a path at all. */
export function checkPath(where: readonly (string | number)[], path: string | undefined): Diagnostic[] {
  if (path === undefined) return [];
  const [first] = firstNames(path);
  return first instanceof PathProblem ? [diagnostic("BAD_PATH", formatPath(where), first.message)] : [];
}

function firstNames(path: string): [string | PathProblem, string?] {
  try {
    const [first, second] = parsePath(path);
    const root = first?.kind === "property" ? first.name : path;
    return second?.kind === "property" ? [root, second.name] : [root];
  } catch (error) {
    if (error instanceof PathProblem) return [error];
    throw error;
  }
}
