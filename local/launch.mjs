/**
 * Builds what has changed and becomes the command: `node local/launch.mjs local/main.js --port 0`. One process, so that
 * signals reach it; and no pre-script of npm's, which machines with `ignore-scripts` leave out.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const compiler = join(root, "node_modules/typescript/bin/tsc");
const { status } = spawnSync(process.execPath, [compiler, "-p", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
if (status === 0) {
  const [script = ""] = process.argv.splice(2, 1);
  await import(new URL(`../dist/${script}`, import.meta.url).href);
} else {
  process.exitCode = status ?? 1;
}
