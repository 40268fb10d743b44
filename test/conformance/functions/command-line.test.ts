import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { type ProcessUnderTest, startProcess } from "../../support/process-under-test.ts";

const root = join(import.meta.dirname, "../../..");
const script = join(root, "dist/local/host/main.js");
const folder = mkdtempSync(join(tmpdir(), "interlock-cli-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

let apps = 0;

/** An app made of the given files, with this repository's packages in reach. */
function appOf(files: Readonly<Record<string, string>>): string {
  const dir = join(folder, `app-${(apps += 1)}`);
  const all = { "package.json": '{"main":"src/*.js"}', "host.json": '{"version":"2.0"}', ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
  return dir;
}

const hello = `const { app } = require("@azure/functions");
app.http("hello", { methods: ["GET"], handler: () => ({ body: process.env.GREETING ?? "hello" }) });`;

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): ProcessUnderTest {
  return startProcess(process.execPath, [script, ...args], { env: { ...process.env, ...env } });
}

const start = (dir: string, ...more: string[]): string[] => [
  "start",
  "--port",
  "0",
  "--script-root",
  dir,
  ...more,
];
const ready = /Host is ready on (http:\/\/\S+)/;

describe("the host's command line", () => {
  test("lists the functions with their addresses, says when it is ready, and ends cleanly on SIGTERM", async () => {
    const dir = appOf({
      "src/hello.js": hello,
      "src/tick.js": `require("@azure/functions").app.timer("tick", { schedule: "0 0 0 1 1 *", handler() {} });`,
    });
    const host = run(start(dir));
    const [, url = ""] = await host.saw(ready);
    expect(host.output()).toMatch(
      /Functions:\n\n\thello: \[GET\] http:\/\/127\.0\.0\.1:\d+\/api\/hello\n\n\ttick: timerTrigger/,
    );
    expect(await (await fetch(`${url}/api/hello`)).text()).toBe("hello");
    host.child.kill("SIGTERM");
    expect(await host.ended()).toBe(0);
  });

  test("takes settings from local.settings.json, and the environment wins over the file", async () => {
    const files = { "src/hello.js": hello, "local.settings.json": '{"Values":{"GREETING":"from the file"}}' };
    const fromFile = run(start(appOf(files)));
    const [, one = ""] = await fromFile.saw(ready);
    expect(await (await fetch(`${one}/api/hello`)).text()).toBe("from the file");
    const fromEnvironment = run(start(appOf(files)), { GREETING: "from the environment" });
    const [, other = ""] = await fromEnvironment.saw(ready);
    expect(await (await fetch(`${other}/api/hello`)).text()).toBe("from the environment");
    for (const host of [fromFile, fromEnvironment]) host.child.kill("SIGTERM");
    await Promise.all([fromFile.ended(), fromEnvironment.ended()]);
  });

  test("logs one JSON object a line when asked to", async () => {
    const host = run(start(appOf({ "src/hello.js": hello }), "--json"));
    const [, url = ""] = await host.saw(/ready on (http:\/\/[\d.:]+)/);
    await fetch(`${url}/api/hello`);
    await host.saw(/Executed 'Functions\.hello'/);
    host.child.kill("SIGTERM");
    await host.ended();
    const lines = host
      .output()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { category: string });
    expect(lines.map(({ category }) => category)).toContain("Function.hello");
  });

  test("starts an app that crashed again, at the same address", async () => {
    const crash = `require("@azure/functions").app.http("crash", { handler: () => { setImmediate(() => { throw new Error("boom"); }); return {}; } });`;
    const host = run(start(appOf({ "src/crash.js": crash, "src/hello.js": hello })));
    const [, url = ""] = await host.saw(ready);
    await fetch(`${url}/api/crash`);
    await host.saw(/The app crashed: Error: boom[^]*ended \(exit code 1\)[^]*Host is ready on/);
    expect(await (await fetch(`${url}/api/hello`)).text()).toBe("hello");
    host.child.kill("SIGTERM");
    expect(await host.ended()).toBe(0);
  });

  test("replaces itself when a function runs out of its time", async () => {
    const hang = `require("@azure/functions").app.http("hang", { handler: () => new Promise(() => {}) });`;
    const dir = appOf({
      "host.json": '{"version":"2.0","functionTimeout":"00:00:00.2"}',
      "src/hang.js": hang,
      "src/hello.js": hello,
    });
    const host = run(start(dir));
    const [, url = ""] = await host.saw(ready);
    expect((await fetch(`${url}/api/hang`)).status).toBe(500);
    await host.saw(/'hang' ran out of its time[^]*Host is ready on/);
    expect((await fetch(`${url}/api/hello`)).status).toBe(200);
    host.child.kill("SIGTERM");
    await host.ended();
  });

  test("lets a request that runs come to its end when it is stopped", async () => {
    const slow = `const { app } = require("@azure/functions");
      let finish;
      app.http("slow", { handler: () => new Promise((resolve) => { finish = () => resolve({ body: "done" }); console.log("slow began"); }) });
      process.on("SIGTERM", () => finish?.());`;
    const host = run(start(appOf({ "src/slow.js": slow })));
    const [, url = ""] = await host.saw(ready);
    const answer = fetch(`${url}/api/slow`);
    await host.saw(/slow began/);
    host.child.kill("SIGTERM");
    expect(await (await answer).text()).toBe("done");
    expect(await host.ended()).toBe(0);
  });

  test.each([
    ["--help", 0, /Usage: npm run host -- start/],
    ["--bogus", 2, /^Unknown option '--bogus'\. Try --help\n$/],
    ["publish", 2, /^Unknown command 'publish'\. Try --help\n$/],
    ["--port=70000", 2, /^--port takes a number from 0 to 65535, not '70000'\. Try --help\n$/],
  ])("answers %s with exit code %i", async (argument, code, text) => {
    const host = run([argument]);
    expect(await host.ended()).toBe(code);
    expect(host.output()).toMatch(text);
  });

  const module = `const { app } = require("@azure/functions");`;
  const wrongApps: [string, Record<string, string>, RegExp][] = [
    ["malformed host.json", { "host.json": "{" }, /^host\.json is not valid JSON: .+$/],
    [
      "host.json of another version",
      { "host.json": "{}" },
      /^host\.json: version must be "2\.0", not undefined$/,
    ],
    [
      "a wrong value in host.json",
      { "host.json": '{"version":"2.0","functionTimeout":"soon"}' },
      /^host\.json: functionTimeout must be a time span such as 00:05:00, not "soon"$/,
    ],
    [
      "malformed local.settings.json",
      { "local.settings.json": "[1]" },
      /^local\.settings\.json must hold one JSON object/,
    ],
    [
      "a setting that is no text",
      { "local.settings.json": '{"Values":{"PORT":1}}' },
      /^local\.settings\.json: Values\.PORT must be a string \(settings are environment variables\), not 1$/,
    ],
    [
      "encrypted settings",
      { "local.settings.json": '{"IsEncrypted":true}' },
      /run "func settings decrypt" first$/,
    ],
    [
      "main that matches nothing",
      { "package.json": '{"main":"lib/*.js"}' },
      /^"main" of package\.json matches no file: lib\/\*\.js/,
    ],
    ["no main", { "package.json": "{}" }, /has no "main"/],
    [
      "a module that throws",
      { "src/a.js": 'throw new Error("no database")' },
      /^The app failed to load src\/a\.js: no database$/,
    ],
    [
      "a route clash",
      {
        "src/a.js": `${module} for (const name of ["one", "two"]) app.http(name, { route: "same/{id}", handler() {} });`,
      },
      /'one'.*'two'|'two'.*'one'/,
    ],
    [
      "a missing setting",
      { "src/a.js": `${module} app.timer("tick", { schedule: "%SCHEDULE%", handler() {} });` },
      /^Function 'tick': schedule refers to %SCHEDULE%, which is not set: add SCHEDULE to local\.settings\.json or the environment$/,
    ],
    [
      "a bad schedule",
      { "src/a.js": `${module} app.timer("tick", { schedule: "never", handler() {} });` },
      /^Function 'tick': .*never/,
    ],
    [
      "a binding that is not supported",
      { "src/a.js": `${module} app.storageBlob("blob", { path: "a", connection: "b", handler() {} });` },
      /^Function 'blob' uses the trigger 'blobTrigger', which this host does not run/,
    ],
    [
      "two functions of one name",
      { "src/a.js": `${module} for (const _ of [1, 2]) app.http("twin", { handler() {} });` },
      /^The app failed to load src\/a\.js: A function with id "twin" has already been registered\.$/,
    ],
  ];

  test.each(wrongApps)("refuses %s in one readable line", async (_, files, line) => {
    const host = run(start(appOf({ "src/hello.js": hello, ...files })));
    expect(await host.ended()).toBe(1);
    expect(host.output().trimEnd()).toMatch(line);
    expect(host.output().trimEnd()).not.toContain("\n");
  });

  test("shows the stack of a start error when it is asked to be verbose", async () => {
    const host = run(start(appOf({ "src/a.js": 'throw new Error("no database")' }), "--verbose"));
    expect(await host.ended()).toBe(1);
    expect(host.output()).toMatch(/no database\n\s+at /);
  });

  test("names the port that is taken and how to choose another", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const host = run(["start", "--port", String(port), "--script-root", appOf({ "src/hello.js": hello })]);
    expect(await host.ended()).toBe(1);
    expect(host.output()).toContain(
      `Port ${port} is taken: stop what listens there, or choose another with --port`,
    );
    server.close();
  });
});
