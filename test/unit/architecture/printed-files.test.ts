import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { printedFiles } from "../../../local/docs/printed.ts";

const root = join(import.meta.dirname, "../../..");

describe("files that repeat what the code says", () => {
  test.each(Object.entries(printedFiles(root)))("%s is as the code prints it", (path, text) => {
    expect(readFileSync(join(root, path), "utf8"), "run npm run docs").toBe(text);
  });
});
