/** Starts the built platform with the Node given, uses it once, and stops it: `node smoke.mjs /path/to/node`. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [node = process.execPath] = process.argv.slice(2);
const root = join(import.meta.dirname, "..");
const data = mkdtempSync(join(tmpdir(), "interlock-smoke-"));
console.log(`Node ${spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim()}`);

const stack = spawn(
  node,
  [join(root, "dist/local/main.js"), "--port", "0", "--services-port", "0", "--data", data],
  { stdio: ["ignore", "pipe", "inherit"] },
);
let said = "";
const ended = once(stack, "exit");
const ready = new Promise((resolve) => {
  stack.stdout.on("data", (chunk) => {
    said += String(chunk);
    if (said.includes("Ctrl-C stops everything")) resolve(true);
  });
});
let problem = "the stack ended before it was ready";
if ((await Promise.race([ready, ended])) === true) {
  const [url] = /http:\/\/[\d.:]+(?=\/api\/health\/ready)/.exec(said) ?? [];
  const answer = await (await fetch(`${url}/api/health/ready`)).json();
  console.log(JSON.stringify(answer.checks));
  problem = answer.ready ? undefined : "not ready";
}
stack.kill("SIGTERM");
const [code] = await ended;
rmSync(data, { recursive: true, force: true });
if (problem === undefined && code !== 0) problem = `exit code ${code}`;
if (problem !== undefined) console.error(`${problem}\n${said}`);
process.exit(problem === undefined ? 0 : 1);
