import { tenantDiagnosticCodes } from "../../shared/config/diagnose-tenant.ts";
import { diagnosticCodes } from "../../shared/config/diagnostic.ts";
import { effectiveRoute } from "../../shared/config/effective.ts";
import { defaultProfile, keyFormulas, rateProfiles, retryProfiles } from "../../shared/config/profiles.ts";
import { type RateProfile, routeConfigSchema } from "../../shared/config/route-schema.ts";
import { keyRoots, templateRoots } from "../../shared/config/scopes.ts";
import { progressStates } from "../../shared/events/route-progress.ts";
import { timelineKinds } from "../../shared/ledgers/timeline.ts";
import { diagnosticMeanings, fieldMeanings, operatorMeanings } from "./route-meanings.ts";
import { table } from "./table.ts";

/** Only what stands between the marks is printed; the rest of the page is written by hand. */
export function withRouteTables(page: string): string {
  return page.replaceAll(
    /(<!-- rows of routes: ([\w-]+); run npm run docs -->\n)[^]*?(\n<!-- end of rows -->)/g,
    (_, start: string, name: string, end: string) => `${start}\n${printers[name]?.() ?? ""}\n${end}`,
  );
}

const printers: Readonly<Record<string, () => string>> = {
  fields: () =>
    table(
      ["field", "takes", "default", "meaning"],
      Object.entries(fieldMeanings).map(([name, meaning]) => [
        `\`${name}\``,
        takes(Object.entries(fields).find(([field]) => field === name)?.[1]),
        defaultOf(name),
        meaning,
      ]),
    ),
  operators: () =>
    table(
      ["operator", "holds if"],
      Object.entries(operatorMeanings).map(([name, holds]) => [`\`${name}\``, holds]),
    ),
  "retry-profiles": () =>
    table(
      ["profile", "pauses between attempts"],
      Object.entries(retryProfiles).map(([name, { waitsSeconds }]) => [
        `\`${name}\``,
        waitsSeconds.map(duration).join(", ") || "none: one attempt",
      ]),
    ),
  "rate-profiles": () =>
    table(
      ["profile", "mode", "per minute", "batch", "every", "batches at a time"],
      Object.entries<RateProfile>(rateProfiles).map(([name, pace]) => [
        `\`${name}\``,
        pace.mode ?? "",
        String(pace.rateLimitPerMin ?? "no limit"),
        String(pace.workerBatchSize ?? ""),
        pace.drainIntervalMin === undefined ? "" : `${pace.drainIntervalMin} min`,
        String(pace.maxCyclesPerRun ?? ""),
      ]),
    ),
  "key-formulas": () =>
    table(
      ["formula", "the key is made of"],
      Object.entries(keyFormulas).map(([name, paths]) => [`\`${name}\``, listed(paths)]),
    ),
  scopes: () =>
    table(
      ["where", "a path may begin with"],
      [
        ["templates", listed(templateRoots)],
        ["key formulas", listed(keyRoots)],
        ["filters", "the payload itself: `pull_request.title`"],
      ],
    ),
  diagnostics: () =>
    table(
      ["code", "severity", "meaning"],
      Object.entries(diagnosticMeanings).map(([code, meaning]) => [
        `\`${code}\``,
        Object.entries(diagnosticCodes).find(([name]) => name === code)?.[1] ?? "",
        meaning,
      ]),
    ),
  "tenant-diagnostics": () =>
    table(
      ["code", "also logged at start", "meaning"],
      Object.entries(tenantDiagnosticCodes).map(([code, { atStart, means }]) => [
        `\`${code}\``,
        atStart ? "yes" : "",
        means,
      ]),
    ),
  states: () =>
    table(
      ["state", "meaning"],
      Object.entries(progressStates).map(([state, meaning]) => [`\`${state}\``, meaning]),
    ),
  steps: () =>
    table(
      ["step", "meaning"],
      Object.entries(timelineKinds).map(([kind, meaning]) => [`\`${kind}\``, meaning]),
    ),
};

const fields = routeConfigSchema.properties.routes.items.properties;

function takes(field: unknown): string {
  const schema = new Map<string, unknown>(
    typeof field === "object" && field !== null ? Object.entries(field) : [],
  );
  const [values, type, least, most] = ["enum", "type", "minimum", "maximum"].map((name) => schema.get(name));
  if (Array.isArray(values)) return values.map((value) => `\`${String(value)}\``).join(", ");
  if (typeof least === "number" && typeof most === "number") return `${least} to ${most}`;
  return new Map<unknown, string>(Object.entries(typeWords)).get(type) ?? "";
}

const typeWords = { string: "text", boolean: "true, false", array: "list", object: "object" };

const bare = {
  routeName: "bare",
  enabled: true,
  endpointKey: "any",
  operation: { kind: "generic-http" },
} as const;

/** As the code fills it in: a route that says nothing but what it must. */
function defaultOf(name: string): string {
  if (Object.hasOwn(bare, name)) return "required";
  const written = new Map<string, string>(Object.entries(otherDefaults)).get(name);
  if (written !== undefined) return written;
  const config = { routes: [bare], endpoints: { any: { url: "https://any.example" } } };
  const route = new Map<string, unknown>(Object.entries(effectiveRoute(config, bare.routeName) ?? {}));
  const value = route.get(name);
  if (value === undefined || name === "ledger" || name === "intendedAction") return "";
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

/** What is no value of its own once everything is filled in. */
const otherDefaults = {
  retryProfile: `\`${defaultProfile}\``,
  rateProfile: `\`${defaultProfile}\``,
  priority: "`0`",
  maxRetries: "as the profile",
};

function duration(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

function listed(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}
