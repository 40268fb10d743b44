import type { Filter } from "../config/route-schema.ts";
import { instantOf } from "../json/instant.ts";
import { hasEach, readPath } from "../json/paths.ts";

/**
 * A filter compares what stands at a path with a value, without converting either: "5" is not 5.
 *
 * With `[*]` in the path it holds if it holds for any item; the operators that begin with Not hold if it does so for
 * none. Null and an empty list count as not existing, since some vendors write what others leave out.
 */
export function filtersHold(filters: readonly Filter[], data: unknown): boolean {
  return filters.every((filter) => holds(filter, data));
}

/** What one filter saw, for a dry run: the values are the payload's own. */
export interface FilterExplanation {
  readonly filter: Filter;
  readonly holds: boolean;
  /** What stands at the path; of many the first ones. */
  readonly found: readonly unknown[];
}

const shownItems = 10;

export function explainFilters(filters: readonly Filter[], data: unknown): FilterExplanation[] {
  return filters.map((filter) => ({
    filter,
    holds: holds(filter, data),
    found: itemsAt(filter.path, data).slice(0, shownItems),
  }));
}

type Operator = Filter["operator"];
type Test = (item: unknown, value: Filter["value"]) => boolean;

/** Each operator as a test of one item; `negated` asks that no item pass it. */
const operators: Readonly<Record<Operator, { readonly test: Test; readonly negated?: true }>> = {
  Equals: { test: equals },
  NotEquals: { test: equals, negated: true },
  Contains: { test: contains },
  NotContains: { test: contains, negated: true },
  GreaterThan: { test: (item, value) => someScalar(item, (one) => (compared(one, value) ?? 0) > 0) },
  LessThan: { test: (item, value) => someScalar(item, (one) => (compared(one, value) ?? 0) < 0) },
  Exists: { test: exists },
  NotExists: { test: exists, negated: true },
};

function holds({ path, operator, value }: Filter, data: unknown): boolean {
  const { test, negated = false } = operators[operator];
  return itemsAt(path, data).some((item) => test(item, value)) !== negated;
}

/** With `[*]` every item that was found; otherwise the one value, which may itself be a list. */
function itemsAt(path: string, data: unknown): readonly unknown[] {
  const found = readPath(data, path);
  if (found === undefined) return [];
  return hasEach(path) && Array.isArray(found) ? found : [found];
}

/** A list equals a value if one of its items does. */
function equals(item: unknown, value: Filter["value"]): boolean {
  return someScalar(item, (one) => one === value);
}

/** A text contains its parts, a list its items. */
function contains(item: unknown, value: Filter["value"]): boolean {
  if (typeof item === "string") return typeof value === "string" && item.includes(value);
  return Array.isArray(item) && equals(item, value);
}

function exists(item: unknown): boolean {
  return item !== null && !(Array.isArray(item) && item.length === 0);
}

function someScalar(item: unknown, test: (one: unknown) => boolean): boolean {
  return Array.isArray(item) ? item.some(test) : test(item);
}

/** Numbers by size, dates by time; undefined for anything that has no order. */
function compared(item: unknown, value: Filter["value"]): number | undefined {
  if (typeof item === "number" && typeof value === "number") return item - value;
  if (typeof item !== "string" || typeof value !== "string") return undefined;
  const [itemTime, valueTime] = [instantOf(item), instantOf(value)];
  return itemTime === undefined || valueTime === undefined ? undefined : itemTime - valueTime;
}
