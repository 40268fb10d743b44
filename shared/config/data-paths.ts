import { formatPath } from "../json/paths.ts";
import { pathsIn, TemplateProblem } from "../json/template-syntax.ts";
import { keyFormulaOf } from "./effective.ts";
import type { Route, RouteConfig } from "./route-schema.ts";

/** A place in the configuration that reads something of the payload. */
export interface DataPath {
  /** Where it stands: `routes[0].filters[1].path`. */
  readonly path: string;
  /** What it reads, from the payload on: `pull_request.title`. */
  readonly dataPath: string;
}

/** Everything of the payload that a route depends on: filters, templates and the formula of its ledger key. */
export function dataPathsOf(config: RouteConfig, route: Route, index: number): DataPath[] {
  const at = ["routes", index];
  const { operation, filters = [], ledger } = route;
  const ofFilters = filters.map(({ path: dataPath }, place) => ({
    path: formatPath([...at, "filters", place, "path"]),
    dataPath,
  }));
  const ofSubscriptions = (config.subscriptions ?? []).flatMap(({ routeName, filterJson = [] }, which) =>
    routeName === route.routeName
      ? filterJson.map(({ path: dataPath }, place) => ({
          path: formatPath(["subscriptions", which, "filterJson", place, "path"]),
          dataPath,
        }))
      : [],
  );
  const templates = [
    [["operation", "path"], operation.path],
    [["operation", "headers"], operation.headers],
    [["operation", "body"], operation.body],
    [["operation", "lookup", "path"], operation.lookup?.path],
  ] as const;
  const ofTemplates = templates.flatMap(([where, template]) =>
    below(formatPath([...at, ...where]), readPaths(template)),
  );
  const formula = keyFormulaOf(config, route);
  const ofKey = formula === "unknown" || formula === undefined ? [] : formula;
  const keyAt = formatPath(["keyFormulas", ledger?.keyFormulaRef ?? ""]);
  return [...ofFilters, ...ofSubscriptions, ...ofTemplates, ...below(keyAt, ofKey)];
}

/** Of paths of a scope those that read the payload, without the name it has there. */
function below(path: string, scopePaths: readonly string[]): DataPath[] {
  const root = "data.";
  return scopePaths
    .filter((one) => one.startsWith(root))
    .map((one) => ({ path, dataPath: one.slice(root.length) }));
}

/** Only what was validated is stored, so there is nothing to report here. */
function readPaths(template: unknown): string[] {
  try {
    return pathsIn(template);
  } catch (error) {
    if (error instanceof TemplateProblem) return [];
    throw error;
  }
}
