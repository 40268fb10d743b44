import { canonicalJson } from "../json/canonical.ts";
import { formatPath } from "../json/paths.ts";
import { byText } from "./precedence.ts";
import type { RouteConfig } from "./route-schema.ts";

export type ConfigKind =
  "route" | "subscription" | "endpoint" | "retryProfile" | "rateProfile" | "keyFormula";

export interface ConfigItem {
  readonly kind: ConfigKind;
  readonly name: string;
}

export interface FieldChange {
  /** Within the item: `operation.body.title`. */
  readonly path: string;
  /** Left out where the field was not there. */
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface ConfigDiff {
  readonly added: readonly ConfigItem[];
  readonly removed: readonly ConfigItem[];
  readonly changed: readonly (ConfigItem & { readonly fields: readonly FieldChange[] })[];
}

/** What one configuration has that the other has not. The order of routes means nothing, so moving one is no change. */
export function diffConfigs(before: RouteConfig, after: RouteConfig): ConfigDiff {
  const [old, current] = [itemsOf(before), itemsOf(after)];
  const kept = current.flatMap((item) => {
    const same = old.find((other) => isSame(item, other));
    return same === undefined
      ? []
      : [{ ...named(item), fields: fieldChanges([], same.content, item.content) }];
  });
  return {
    added: current.filter((item) => !old.some((other) => isSame(item, other))).map(named),
    removed: old.filter((item) => !current.some((other) => isSame(item, other))).map(named),
    changed: kept.filter(({ fields }) => fields.length > 0),
  };
}

interface Item extends ConfigItem {
  readonly content: unknown;
}

function itemsOf(config: RouteConfig): Item[] {
  const { routes, subscriptions = [], endpoints, retryProfiles, rateProfiles, keyFormulas } = config;
  const items: Item[] = [
    ...routes.map((route): Item => ({ kind: "route", name: route.routeName, content: route })),
    ...subscriptions.map((one): Item => ({ kind: "subscription", name: one.subscriptionName, content: one })),
    ...tableItems("endpoint", endpoints),
    ...tableItems("retryProfile", retryProfiles),
    ...tableItems("rateProfile", rateProfiles),
    ...tableItems("keyFormula", keyFormulas),
  ];
  return items.toSorted((left, right) => byText(left.kind, right.kind) || byText(left.name, right.name));
}

function tableItems(kind: ConfigKind, table: Readonly<Record<string, unknown>> = {}): Item[] {
  return Object.entries(table).map(([name, content]) => ({ kind, name, content }));
}

/** Lists are compared item by item at their places: theirs is an order that means something. */
function fieldChanges(at: readonly (string | number)[], before: unknown, after: unknown): FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after) && (before === undefined) === (after === undefined))
    return [];
  const [old, current] = [membersOf(before), membersOf(after)];
  if (old === undefined || current === undefined || Array.isArray(before) !== Array.isArray(after)) {
    return [
      {
        path: formatPath(at),
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      },
    ];
  }
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((key) =>
    fieldChanges([...at, key], old.get(key), current.get(key)),
  );
}

function membersOf(value: unknown): ReadonlyMap<string | number, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) return new Map<number, unknown>(value.entries());
  return new Map<string, unknown>(Object.entries(value));
}

function isSame(left: ConfigItem, right: ConfigItem): boolean {
  return left.kind === right.kind && left.name === right.name;
}

function named({ kind, name }: ConfigItem): ConfigItem {
  return { kind, name };
}
