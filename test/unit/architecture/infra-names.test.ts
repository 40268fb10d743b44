import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import {
  dispatcherSubscription,
  eventsTopic,
  rawContainer,
  routerSubscription,
  workQueue,
} from "../../../shared/entities.ts";
import { genericSubjectPrefix } from "../../../shared/ingest/make-envelope.ts";

const root = join(import.meta.dirname, "../../..");

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), "utf8")) as T;
}

describe("what infra deploys", () => {
  test("is every table a ledger owns, and no other", async () => {
    const { tables, containers } = readJson<{ tables: string[]; containers: string[] }>("infra/storage.json");
    const ledgers = readdirSync(join(root, "shared/ledgers")).filter((file) => file.endsWith(".ts"));
    const owned = await Promise.all(
      ledgers.map(async (file) => {
        const module = (await import(join(root, "shared/ledgers", file))) as Record<string, unknown>;
        return Object.entries(module).flatMap(([name, value]) =>
          name.endsWith("Table") ? [String(value)] : [],
        );
      }),
    );
    expect(tables.toSorted()).toEqual(owned.flat().toSorted());
    expect(containers).toEqual([rawContainer]);
  });

  test("is every queue, topic and subscription the code names", () => {
    const config = readJson<{ UserConfig: { Namespaces: [Namespace] } }>("infra/service-bus.json");
    const [namespace] = config.UserConfig.Namespaces;
    expect(namespace.Queues.map(({ Name }) => Name)).toEqual([workQueue]);
    expect(namespace.Topics.map(({ Name }) => Name)).toEqual([eventsTopic]);
    expect(namespace.Topics[0]?.Subscriptions.map(({ Name }) => Name)).toEqual([
      routerSubscription,
      dispatcherSubscription,
    ]);
  });

  test("sends what is for the dispatcher to it alone, by the prefix the code uses", () => {
    const config = readJson<{ UserConfig: { Namespaces: [Namespace] } }>("infra/service-bus.json");
    const rules = config.UserConfig.Namespaces[0].Topics[0]?.Subscriptions.map(
      ({ Rules }) => Rules[0]?.Properties.SqlFilter.SqlExpression,
    );
    const isGeneric = `sys.Label LIKE '${genericSubjectPrefix}%'`;
    expect(rules).toEqual([`NOT (${isGeneric})`, isGeneric]);
  });
});

interface Named {
  readonly Name: string;
}

interface Namespace {
  readonly Queues: readonly Named[];
  readonly Topics: readonly (Named & { readonly Subscriptions: readonly (Named & WithRules)[] })[];
}

interface WithRules {
  readonly Rules: readonly {
    readonly Properties: { readonly SqlFilter: { readonly SqlExpression: string } };
  }[];
}
