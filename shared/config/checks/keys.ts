import { formatPath } from "../../json/paths.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import type { RouteConfig } from "../route-schema.ts";
import { keyRoots } from "../scopes.ts";
import { checkScopePath } from "./scope-path.ts";

/** Different for every copy of an event, so that a key with one of them would never find what was done. */
const unstable = [
  "attempt",
  "idempotencyKey",
  ...attributes("receivedat", "correlationid", "causationid", "traceparent"),
];

/** The same for every event of a route that matches one thing: they tell no two events apart. */
const constants = ["routeName", "intendedAction", "targetSystem", "sourceSystem", "objectType", "eventType"];

/** Key formulas that tell events apart, and copies of one event not. */
export function checkKeys(config: RouteConfig): Diagnostic[] {
  return Object.entries(config.keyFormulas ?? {}).flatMap(([name, formula]) => {
    const at = ["keyFormulas", name];
    return [
      ...formula.flatMap((path, index) => checkKeyPath([...at, index], path)),
      ...(formula.every((path) => constants.includes(path)) ? [tooBroad(at)] : []),
      ...sharedByRoutes(config, name, formula),
    ];
  });
}

function checkKeyPath(at: readonly (string | number)[], path: string): Diagnostic[] {
  if (!unstable.includes(path)) return checkScopePath("BAD_PATH", at, path, keyRoots);
  const message = `${path} differs between two deliveries of the same event, so the key would never be found again.`;
  return [diagnostic("UNSTABLE_KEY", formatPath(at), message)];
}

function tooBroad(at: readonly string[]): Diagnostic {
  const message =
    "Every event of a route has this key, so only the first is ever acted on; add objectId or a path of data.";
  return diagnostic("BROAD_KEY", formatPath(at), message, "objectId");
}

function sharedByRoutes(config: RouteConfig, name: string, formula: readonly string[]): Diagnostic[] {
  const users = config.routes.filter(({ ledger }) => ledger?.keyFormulaRef === name);
  if (users.length < 2 || formula.includes("routeName")) return [];
  const names = users.map(({ routeName }) => routeName).join(", ");
  const message = `${names} share these keys, so what one of them has done the others skip; add routeName to keep them apart.`;
  return [diagnostic("BROAD_KEY", formatPath(["keyFormulas", name]), message, "routeName")];
}

function attributes(...names: readonly string[]): string[] {
  return names.map((name) => `event.${name}`);
}
