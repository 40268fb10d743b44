import { fileURLToPath } from "node:url";

/** The folder of an app under test/fixtures/apps. */
export function fixtureApp(name: string): string {
  return fileURLToPath(new URL(`../fixtures/apps/${name}`, import.meta.url));
}
