import { findScheme } from "../../shared/sources/schemes.ts";
import type { Source } from "../../shared/sources/source.ts";
import { sources } from "../../shared/sources/sources.ts";
import { table } from "./table.ts";

/** Which sources there are, how they may sign, and what a connection to them has to be told. */
export function withSources(page: string): string {
  const rows = Object.entries<Source>(sources).map(([name, { schemes, configSchema }]) => [
    `\`${name}\``,
    schemes.map((scheme) => `\`${scheme}\``).join(", "),
    schemes.map((scheme) => settingsOf(findScheme(scheme)?.configSchema)).find((text) => text !== "") ?? "",
    settingsOf(configSchema),
  ]);
  const head = ["source", "schemes, the usual one first", "`schemeConfig`", "`normaliserConfig`"];
  return page.replace(
    /(<!-- rows of shared\/sources\/sources\.ts; run npm run docs -->\n)[^]*?(\n<!-- end of rows -->)/,
    (_, start: string, end: string) => `${start}\n${table(head, rows)}\n${end}`,
  );
}

/** Names of the settings; those that may be left out in brackets. */
function settingsOf(schema: object | undefined): string {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Readonly<Record<string, object>>;
    required?: readonly string[];
  };
  return Object.keys(properties)
    .map((name) => (required.includes(name) ? `\`${name}\`` : `[\`${name}\`]`))
    .join(" ");
}
