import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { rowsOf } from "../../../local/docs/support-matrix.ts";

const root = join(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "local/README.md"), "utf8");

function testFiles(suite: string): string[] {
  return readdirSync(join(root, "test/conformance", suite)).filter((file) => file.endsWith(".test.ts"));
}

describe("the support matrix", () => {
  test.each(["service-bus", "key-vault", "storage"])(
    "of %s has a row for every test, and no other",
    (suite) => {
      const written = testFiles(suite)
        .map((file) => readFileSync(join(root, "test/conformance", suite, file), "utf8"))
        .flatMap((text) => text.match(/^\s*(?:test|it)(?:\.each)?\(/gm) ?? []);
      const rows = rowsOf(root, suite);
      expect(rows.length).toBe(written.length);
      for (const { area, capability } of rows) {
        expect(area).not.toBe("");
        expect(capability, area).not.toBe("");
        expect(page).toMatch(new RegExp(`\\| ${escaped(capability)} +\\|`));
      }
    },
  );

  test.each(["functions", "durable"])(
    "of the host names every file of test/conformance/%s, and no other",
    (suite) => {
      const named = [...page.matchAll(new RegExp(`\`${suite}/([\\w-]+)\``, "g"))].map(
        ([, file]) => `${file}.test.ts`,
      );
      expect([...new Set(named)].toSorted()).toEqual(testFiles(suite).toSorted());
    },
  );
});

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
