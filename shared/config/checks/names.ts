import { formatPath } from "../../json/paths.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import { keyFormulas, rateProfiles, retryProfiles } from "../profiles.ts";
import type { RouteConfig } from "../route-schema.ts";

/** A name stands for one thing. */
export function checkNames(config: RouteConfig): Diagnostic[] {
  const { routes, subscriptions = [] } = config;
  return [
    ...repeated(
      "routes",
      "routeName",
      routes.map(({ routeName }) => routeName),
    ),
    ...repeated(
      "subscriptions",
      "subscriptionName",
      subscriptions.map(({ subscriptionName }) => subscriptionName),
    ),
    ...reserved("retryProfiles", config.retryProfiles, retryProfiles),
    ...reserved("rateProfiles", config.rateProfiles, rateProfiles),
    ...reserved("keyFormulas", config.keyFormulas, keyFormulas),
  ];
}

function repeated(list: string, field: string, names: readonly string[]): Diagnostic[] {
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    if (first === index) return [];
    const message = `${name} is also the name of ${list}[${first}]; each needs its own.`;
    return [diagnostic("DUPLICATE_NAME", formatPath([list, index, field]), message)];
  });
}

function reserved(table: string, own: object | undefined, builtIn: object): Diagnostic[] {
  return Object.keys(own ?? {})
    .filter((name) => Object.hasOwn(builtIn, name))
    .map((name) => {
      const message = `${name} is built in and means the same everywhere; choose another name.`;
      return diagnostic("RESERVED_NAME", formatPath([table, name]), message);
    });
}
