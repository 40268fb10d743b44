import { readFileSync } from "node:fs";

/** The version that is deployed, as package.json names it: one folder up from the sources, two from dist. */
export const version = readVersion(["../package.json", "../../package.json"]);

function readVersion([nearest, ...further]: readonly string[]): string {
  if (nearest === undefined) return "unknown";
  try {
    const text = readFileSync(new URL(nearest, import.meta.url), "utf8");
    return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown";
  } catch {
    return readVersion(further);
  }
}
