import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";

import { describe, expect, test } from "vitest";

/** Who may import whom. Anything not listed is forbidden. */
const mayImport: Record<string, readonly string[]> = {
  shared: ["shared"],
  functions: ["functions", "shared"],
  orchestrations: ["orchestrations", "shared"],
  local: ["local", "shared"],
  bench: ["bench", "local", "shared"],
};

/** Packages that must not reach the deployed app. */
const localOnly = ["azurite", "rhea", "croner", "tinyglobby", "vitest", "fast-check"];

const root = join(import.meta.dirname, "../../..");

interface Import {
  readonly file: string;
  readonly target: string;
}

describe("the dependency rule", () => {
  test.each(Object.entries(mayImport))("%s/ imports only %s of our own folders", (folder, allowed) => {
    const strays = importsBelow(folder)
      .filter(({ target }) => target.startsWith("."))
      .map(({ file, target }) => ({ file, target: resolved(file, target) }))
      .filter(({ target }) => !allowed.some((top) => target.startsWith(`${top}/`)));
    expect(strays).toEqual([]);
  });

  test("no folder that is deployed imports what only the laptop has", () => {
    const strays = ["shared", "functions", "orchestrations"]
      .flatMap(importsBelow)
      .filter(({ target }) => localOnly.includes(target.split("/")[0] ?? ""));
    expect(strays).toEqual([]);
  });

  test("orchestrators ask the context for the time, never the clock of the machine", () => {
    const strays = sourceFiles("orchestrations")
      .filter((file) => !file.includes("/activities/"))
      .filter((file) =>
        /new Date\(\)|Date\.now|performance\.now/.test(readFileSync(join(root, file), "utf8")),
      );
    expect(strays).toEqual([]);
  });

  test("the check has seen files in every folder", () => {
    for (const folder of Object.keys(mayImport)) expect(sourceFiles(folder), folder).not.toEqual([]);
    expect(importsBelow("local").length).toBeGreaterThan(50);
  });
});

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

function importsBelow(folder: string): Import[] {
  return sourceFiles(folder).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const statements = text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^"';]*?from\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/g,
    );
    return [...statements].map(([, from, dynamic]) => ({ file, target: from ?? dynamic ?? "" }));
  });
}

function resolved(file: string, target: string): string {
  return posix.normalize(posix.join(dirname(file), target));
}
