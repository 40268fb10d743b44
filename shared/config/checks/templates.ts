import { formatPath } from "../../json/paths.ts";
import { pathsIn, TemplateProblem } from "../../json/template-syntax.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import type { RouteConfig } from "../route-schema.ts";
import { templateRoots } from "../scopes.ts";
import { checkPath, checkScopePath } from "./scope-path.ts";

type Steps = readonly (string | number)[];

/** Every template and every path into an answer that an operation holds. */
export function checkTemplates(config: RouteConfig): Diagnostic[] {
  const ofEndpoints = Object.entries(config.endpoints ?? {}).flatMap(([key, { headers }]) =>
    checkTemplate(["endpoints", key, "headers"], headers),
  );
  const ofRoutes = config.routes.flatMap(({ operation }, index) => {
    const at: Steps = ["routes", index, "operation"];
    const { path, headers, body, sideEffectRefPath, lookup } = operation;
    return [
      ...checkTemplate([...at, "path"], path),
      ...checkTemplate([...at, "headers"], headers),
      ...checkTemplate([...at, "body"], body),
      ...checkPath([...at, "sideEffectRefPath"], sideEffectRefPath),
      ...checkTemplate([...at, "lookup", "path"], lookup?.path),
      ...checkTemplate([...at, "lookup", "headers"], lookup?.headers),
      ...checkPath([...at, "lookup", "sideEffectRefPath"], lookup?.sideEffectRefPath),
      ...checkPath([...at, "lookup", "existsPath"], lookup?.existsPath),
    ];
  });
  return [...ofEndpoints, ...ofRoutes];
}

/** Goes down to the single text, so that the place of a mistake is exact. */
function checkTemplate(at: Steps, template: unknown): Diagnostic[] {
  if (typeof template === "string") return checkText(at, template);
  if (typeof template !== "object" || template === null) return [];
  const members: readonly [string, unknown][] = Object.entries(template);
  return members.flatMap(([key, value]) =>
    checkTemplate([...at, Array.isArray(template) ? Number(key) : key], value),
  );
}

function checkText(at: Steps, template: string): Diagnostic[] {
  try {
    return pathsIn(template).flatMap((path) => checkScopePath("BAD_TEMPLATE", at, path, templateRoots));
  } catch (error) {
    if (!(error instanceof TemplateProblem)) throw error;
    return [diagnostic("BAD_TEMPLATE", formatPath(at), error.message)];
  }
}
