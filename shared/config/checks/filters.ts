import { instantOf } from "../../json/instant.ts";
import { formatPath } from "../../json/paths.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import type { Filter, RouteConfig } from "../route-schema.ts";
import { checkPath } from "./scope-path.ts";

type Steps = readonly (string | number)[];

/** Filters that can be evaluated, each with a value its operator can use. */
export function checkFilters({ routes, subscriptions = [] }: RouteConfig): Diagnostic[] {
  return [
    ...routes.flatMap(({ filters }, index) => each(["routes", index, "filters"], filters)),
    ...subscriptions.flatMap(({ filterJson }, index) =>
      each(["subscriptions", index, "filterJson"], filterJson),
    ),
  ];
}

function each(at: Steps, filters: readonly Filter[] = []): Diagnostic[] {
  return filters.flatMap((filter, index) => [
    ...checkPath([...at, index, "path"], filter.path),
    ...checkValue([...at, index, "value"], filter),
  ]);
}

const needs: Readonly<Record<Filter["operator"], "any" | "none" | "scalar" | "ordered">> = {
  Equals: "any",
  NotEquals: "any",
  Contains: "scalar",
  NotContains: "scalar",
  GreaterThan: "ordered",
  LessThan: "ordered",
  Exists: "none",
  NotExists: "none",
};

function checkValue(at: Steps, { operator, value }: Filter): Diagnostic[] {
  const problem = problemOf(operator, value);
  return problem === undefined ? [] : [diagnostic("BAD_FILTER", formatPath(at), `${operator} ${problem}`)];
}

function problemOf(operator: Filter["operator"], value: Filter["value"]): string | undefined {
  const need = needs[operator];
  if (need === "none") return value === undefined ? undefined : "compares with nothing; leave the value out.";
  if (value === undefined) return "needs a value to compare with.";
  if (need === "scalar" && value === null) return "needs a text, a number or true or false.";
  if (need !== "ordered" || typeof value === "number") return undefined;
  const isDate = typeof value === "string" && instantOf(value) !== undefined;
  return isDate ? undefined : "needs a number or a date such as 2026-11-18T09:30:00Z.";
}
