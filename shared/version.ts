import { readFileSync } from "node:fs";

/** The version that is deployed, as package.json names it; it lies two folders up, from the sources and from dist. */
export const version = readVersion(["../package.json", "../../package.json"]);

function readVersion([nearest, ...further]: readonly string[]): string {
  if (nearest === undefined) return "unknown";
  try {
    const text = readFileSync(new URL(nearest, import.meta.url), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  } catch {
    return readVersion(further);
  }
}
