import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const repositoryModules = fileURLToPath(new URL("../../node_modules", import.meta.url));

/** A folder outside the repository that holds an app and a copy of everything it depends on. */
export function standaloneApp(files: Readonly<Record<string, string>>, packages: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "standalone-app-"));
  for (const name of closureOf(packages)) {
    cpSync(join(repositoryModules, name), join(root, "node_modules", name), { recursive: true });
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function closureOf(packages: readonly string[]): Set<string> {
  const names = new Set<string>();
  const waiting = [...packages];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const manifest = join(repositoryModules, name, "package.json");
    if (names.has(name) || !existsSync(manifest)) continue;
    names.add(name);
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, "utf8")) as { dependencies?: object };
    waiting.push(...Object.keys(dependencies));
  }
  return names;
}
