import { availableParallelism } from "node:os";
import { join } from "node:path";

import { type Level, levels } from "../log.ts";
import { StartError } from "../../start-error.ts";
import { readJsonFile, Section } from "./json-file.ts";

/** What the host heeds of host.json, with the platform's defaults filled in. */
export interface HostSettings {
  readonly logLevels: Readonly<Record<string, Level>>;
  /** Undefined: no limit. */
  readonly functionTimeoutMs: number | undefined;
  readonly http: { readonly routePrefix: string };
  readonly serviceBus: {
    readonly maxConcurrentCalls: number;
    readonly maxConcurrentSessions: number;
    readonly maxMessageBatchSize: number;
    readonly maxAutoLockRenewalDurationMs: number;
    readonly sessionIdleTimeoutMs: number;
    readonly autoCompleteMessages: boolean;
  };
  readonly durable: {
    readonly hubName: string;
    readonly maxConcurrentActivityFunctions: number;
    readonly maxConcurrentOrchestratorFunctions: number;
    readonly maxConcurrentEntityFunctions: number;
    readonly defaultVersion: string | undefined;
  };
}

const defaultTimeoutMs = 30 * 60_000;

export function readHostJson(scriptRoot: string): HostSettings {
  const path = join(scriptRoot, "host.json");
  const found = readJsonFile(path);
  if (found === undefined) {
    throw new StartError(
      `No host.json in ${scriptRoot}: point --script-root at the folder of a Functions app`,
    );
  }
  const root = new Section("host.json", found);
  if (root.string("version", undefined) !== "2.0") throw root.wrong("version", '"2.0"');
  const extensions = root.section("extensions");
  return {
    logLevels: readLevels(root.section("logging").section("logLevel")),
    functionTimeoutMs: readTimeout(root),
    http: {
      routePrefix: extensions
        .section("http")
        .string("routePrefix", "api")
        .replace(/^\/+|\/+$/g, ""),
    },
    serviceBus: readServiceBus(extensions.section("serviceBus")),
    durable: readDurable(extensions.section("durableTask")),
  };
}

function readLevels(section: Section): Record<string, Level> {
  const read: Record<string, Level> = {};
  for (const [category, text] of section.entries()) {
    const level = levels.find((name) => name.toLowerCase() === String(text).toLowerCase());
    if (level === undefined) throw section.wrong(category, `one of ${levels.join(", ")}`);
    read[category] = level;
  }
  return read;
}

function readTimeout(root: Section): number | undefined {
  const text = root.string("functionTimeout", undefined);
  if (text === "-1") return undefined;
  const milliseconds = root.timeSpan("functionTimeout", defaultTimeoutMs);
  if (milliseconds <= 0) throw root.wrong("functionTimeout", 'a positive time span, or "-1" for none');
  return milliseconds;
}

function readServiceBus(section: Section): HostSettings["serviceBus"] {
  return {
    maxConcurrentCalls: section.number("maxConcurrentCalls", 16 * availableParallelism(), 1),
    maxConcurrentSessions: section.number("maxConcurrentSessions", 8, 1),
    maxMessageBatchSize: section.number("maxMessageBatchSize", 1000, 1),
    maxAutoLockRenewalDurationMs: section.timeSpan("maxAutoLockRenewalDuration", 5 * 60_000),
    sessionIdleTimeoutMs: section.timeSpan("sessionIdleTimeout", 60_000),
    autoCompleteMessages: section.boolean("autoCompleteMessages", true),
  };
}

function readDurable(section: Section): HostSettings["durable"] {
  const perCore = 10 * availableParallelism();
  return {
    hubName: section.string("hubName", "TestHubName"),
    maxConcurrentActivityFunctions: section.number("maxConcurrentActivityFunctions", perCore, 1),
    maxConcurrentOrchestratorFunctions: section.number("maxConcurrentOrchestratorFunctions", perCore, 1),
    maxConcurrentEntityFunctions: section.number("maxConcurrentEntityFunctions", perCore, 1),
    defaultVersion: section.string("defaultVersion", undefined),
  };
}
