import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { type ProcessUnderTest, startProcess } from "../support/process-under-test.ts";

const root = join(import.meta.dirname, "../..");
const data = mkdtempSync(join(tmpdir(), "interlock-start-"));
const running = new Set<ProcessUnderTest>();

afterAll(async () => {
  for (const stack of running) stack.interrupt();
  await Promise.all([...running].map((stack) => stack.ended()));
  rmSync(data, { recursive: true, force: true });
});

/** As a user does, but for the ports, which other tests of the moment may hold. */
function npmStart(...flags: string[]): ProcessUnderTest {
  const ports = flags.some((flag) => flag.startsWith("--services-port")) ? [] : ["--services-port=0"];
  const stack = startProcess("npm", ["start", "--", "--port=0", ...ports, `--data=${data}`, ...flags], {
    cwd: root,
  });
  running.add(stack);
  void stack.ended().then(() => running.delete(stack));
  return stack;
}

/** npm itself dies of the signal; what it ran has ended when it said so and its output is closed. */
async function stopped(stack: ProcessUnderTest): Promise<string> {
  stack.interrupt();
  await stack.ended();
  return stack.output();
}

const ready = /Ctrl-C stops everything/;

/** What the screen says after a label. */
function printed(stack: ProcessUnderTest, label: string): string {
  return new RegExp(`^ {2}${label} +(\\S+)`, "m").exec(stack.output())?.[1] ?? "";
}

async function ask(url: string, key = ""): Promise<unknown> {
  return (await fetch(url, { headers: { "x-api-key": key } })).json();
}

function keyOf(stack: ProcessUnderTest): string {
  return /API key +(\S+)/.exec(stack.output())?.[1] ?? "";
}

describe("npm start (OPS-04)", () => {
  test("prints addresses and a key that work, and a second start finds the data of the first", async () => {
    const first = npmStart();
    await first.saw(ready);
    expect(await ask(printed(first, "Health"))).toMatchObject({
      ready: true,
      checks: ["tables", "blobs", "bus", "vault", "orchestrations"].map((name) => ({ name, ok: true })),
    });
    const me = `${printed(first, "API")}/v1/me`;
    expect(await ask(me, keyOf(first))).toMatchObject({
      tenant: { id: "demo", name: "Demo" },
      key: { role: "admin" },
    });
    expect(await stopped(first)).toContain("Everything is stopped");

    const second = npmStart("--quiet");
    await second.saw(ready);
    expect(keyOf(second)).toBe(keyOf(first));
    expect(await ask(`${printed(second, "API")}/v1/me`, keyOf(second))).toMatchObject({
      tenant: { id: "demo" },
    });
    expect(second.output()).not.toContain("Executing");
    await stopped(second);
  });

  test("starts a part that was killed again, and two hosts share the services", async () => {
    const stack = npmStart("--hosts=2", "--json");
    await stack.saw(/"ready: (http\S+), (http\S+)"/);
    const [, one = "", two = ""] = /"ready: (http[\d.:/]+), (http[\d.:/]+)"/.exec(stack.output()) ?? [];
    for (const url of [one, two]) expect((await fetch(`${url}/api/health/ready`)).status).toBe(200);
    for (const name of ["service-bus", "key-vault", "storage"]) {
      const pid = Number(new RegExp(`"part":"${name}".*pid (\\d+)`).exec(stack.output())?.[1]);
      process.kill(pid, "SIGKILL");
      await stack.saw(new RegExp(`${name} ended \\(SIGKILL\\)[^]*${name} is ready`));
    }
    await stack.saw(/storage ended[^]*demo tenant are in place/);
    const key = readFileSync(join(data, "demo-api-key"), "utf8").trim();
    expect((await fetch(`${one}/api/v1/me`, { headers: { "x-api-key": key } })).status).toBe(200);
    expect(await stopped(stack)).toContain("Everything is stopped");
  });

  test("begins empty when asked to, and starts the services alone", async () => {
    const before = npmStart("--only=services");
    await before.saw(/API key +\S+/);
    await before.saw(/npm run host -- start/);
    expect(await stopped(before)).toContain("Everything is stopped");
    expect(existsSync(join(data, "service-bus"))).toBe(true);
    const after = npmStart("--only=services", "--reset");
    await after.saw(/npm run host -- start/);
    expect(keyOf(after)).not.toBe(keyOf(before));
    expect(await stopped(after)).toContain("Everything is stopped");
  });

  test("ends properly when whoever reads its output goes away", async () => {
    const stack = npmStart("--only=services");
    await stack.saw(/npm run host -- start/);
    const pid = Number(/storage is ready.*pid (\d+)/.exec(stack.output())?.[1]);
    stack.child.stdout?.destroy();
    process.kill(pid, "SIGKILL"); // The stack reports it, and finds nobody to report to.
    await stack.ended();
    const again = npmStart("--only=services");
    await again.saw(/npm run host -- start/);
    // Every part had let go of its data, so the same key is still good.
    expect(keyOf(again)).toBe(keyOf(stack));
    await stopped(again);
  });

  test("names every port that is taken and how to choose others", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const stack = npmStart(`--services-port=${port}`);
    expect(await stack.ended()).toBe(1);
    expect(stack.output()).toContain(`${port} (blobs)`);
    expect(stack.output()).toContain("choose other ports with --services-port");
    server.close();
  });

  test.each([
    ["--port=x", "--port takes a number from 0 to 65535, not 'x'"],
    ["--only=vendors", "--only knows 'services', not 'vendors'"],
    ["--hosts=0", "--hosts takes a number from 1 to 16, not '0'"],
    ["--bogus", "Unknown option '--bogus'"],
  ])("answers %s in one readable line", async (flag, line) => {
    const stack = startProcess(process.execPath, [join(root, "dist/local/main.js"), flag]);
    expect(await stack.ended()).toBe(2);
    expect(stack.output()).toBe(`${line}. Try: npm start -- --help\n`);
  });
});
