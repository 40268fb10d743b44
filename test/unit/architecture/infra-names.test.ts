import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { rawContainer, workQueue } from "../../../shared/entities.ts";

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

  test("is every queue the code names", () => {
    const config = readJson<{ UserConfig: { Namespaces: [{ Queues: { Name: string }[] }] } }>(
      "infra/service-bus.json",
    );
    const [namespace] = config.UserConfig.Namespaces;
    expect(namespace.Queues.map(({ Name }) => Name)).toEqual([workQueue]);
  });
});
