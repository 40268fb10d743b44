import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

describe("the repository", () => {
  test("pins every dependency exactly", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Manifest;
    for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(range, name).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
    }
  });

  test("has a lockfile without addresses, and no package that wants to run a script when installed", () => {
    const lock = read("package-lock.json");
    expect(lock).not.toContain('"resolved"');
    expect(lock).not.toContain('"hasInstallScript"');
  });

  test("keeps what only the laptop needs out of the deployed package", () => {
    const ignored = read(".funcignore").split("\n");
    for (const name of [
      "local",
      "test",
      "docs",
      "bench",
      "dist/local",
      "dist/bench",
      "local.settings.json",
    ]) {
      expect(ignored).toContain(name);
    }
  });
});
