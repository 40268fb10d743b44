import { isDeeperThan } from "../json/depth.ts";
import { SchemaProblems } from "../json/schema.ts";
import { checkEndpoints } from "./checks/endpoints.ts";
import { checkFilters } from "./checks/filters.ts";
import { checkInDoubt } from "./checks/in-doubt.ts";
import { checkKeys } from "./checks/keys.ts";
import { checkNames } from "./checks/names.ts";
import { checkOverlaps } from "./checks/overlaps.ts";
import { checkReferences } from "./checks/references.ts";
import { checkSurroundings, type Surroundings } from "./checks/surroundings.ts";
import { checkTemplates } from "./checks/templates.ts";
import { type Diagnostic, diagnostic } from "./diagnostic.ts";
import { readRouteConfig, type RouteConfig } from "./route-schema.ts";

export interface Validation {
  /** There where there is no error. */
  readonly config?: RouteConfig;
  readonly errors: readonly Diagnostic[];
  readonly warnings: readonly Diagnostic[];
}

/** Deep enough for any request's body, and far from what would exhaust the stack of a check. */
const depthLimit = 64;

const checks: readonly ((config: RouteConfig, surroundings: Surroundings) => Diagnostic[])[] = [
  checkNames,
  checkReferences,
  checkFilters,
  checkTemplates,
  checkKeys,
  checkEndpoints,
  checkSurroundings,
  checkOverlaps,
  checkInDoubt,
];

/** Everything that is wrong or doubtful, at once. The form comes first: the rest can only be told of what has it. */
export function validateConfig(raw: unknown, surroundings: Surroundings): Validation {
  if (isDeeperThan(depthLimit, raw)) {
    const message = `The configuration is nested deeper than ${depthLimit} levels.`;
    return { errors: [diagnostic("TOO_DEEP", "", message)], warnings: [] };
  }
  const read = formOf(raw);
  if (Array.isArray(read)) return { errors: read, warnings: [] };
  const found = checks.flatMap((check) => check(read, surroundings));
  const errors = found.filter(({ severity }) => severity === "error");
  const warnings = found.filter(({ severity }) => severity === "warning");
  return errors.length === 0 ? { config: read, errors, warnings } : { errors, warnings };
}

function formOf(raw: unknown): RouteConfig | Diagnostic[] {
  try {
    return readRouteConfig(raw, "The configuration");
  } catch (error) {
    if (!(error instanceof SchemaProblems)) throw error;
    return error.problems.map(({ path, message }) => diagnostic("SCHEMA", path, message));
  }
}
