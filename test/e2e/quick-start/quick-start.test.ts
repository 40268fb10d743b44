import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type ProcessUnderTest, startProcess } from "../../support/process-under-test.ts";
import { until } from "../../support/until.ts";
import { pageSteps, shows } from "./page-steps.ts";

const root = join(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const data = mkdtempSync(join(tmpdir(), "interlock-quick-start-"));
const [start, sinkStep, firstSteps, look] = pageSteps(read("README.md"), "Quick start").map(
  ({ commands }) => commands,
);
if (start === undefined || sinkStep === undefined || firstSteps === undefined || look === undefined) {
  throw new Error("The README's quick start has lost a step");
}
const running = new Set<ProcessUnderTest>();
let stack: ProcessUnderTest;
let sink: ProcessUnderTest;
let api = "";
let sinkAddress = "";

/** As a user types it, in a terminal of its own at the repository. */
function type(commands: string): ProcessUnderTest {
  const shell = startProcess("sh", ["-c", commands], { cwd: root });
  running.add(shell);
  void shell.ended().then(() => running.delete(shell));
  return shell;
}

async function outputOf(commands: string): Promise<string> {
  const shell = type(commands);
  await shell.ended();
  return shell.output();
}

/** What is different here from a user's machine: the ports and the data folder. */
function here(text: string): string {
  return text
    .replaceAll("127.0.0.1:7071", api)
    .replaceAll("127.0.0.1:9000", sinkAddress)
    .replaceAll("--port 9000", `--port ${sinkAddress.split(":")[1] ?? "0"}`)
    .replaceAll(".interlock/", `${data}/`)
    .replaceAll("docs/examples/first-route.json", `${data}/first-route.json`);
}

/** The first line of a block sets what the others need. */
const withKey = (commands: string): string => `${here(firstSteps).split("\n", 1)[0]}\n${commands}`;

function addressIn(output: string, pattern: RegExp): string {
  return pattern.exec(output)?.[1] ?? "";
}

beforeAll(async () => {
  stack = type(start.replace("npm start", `npm start -- --port 0 --services-port 0 --data ${data} --quiet`));
  await stack.saw(/Ctrl-C stops everything/);
  api = addressIn(stack.output(), /API +http:\/\/([\d.:]+)\/api$/m);
  sink = type(here(sinkStep));
  sinkAddress = (await sink.saw(/takes requests at http:\/\/([\d.:]+);/))[1] ?? "";
  writeFileSync(join(data, "first-route.json"), here(read("docs/examples/first-route.json")));
}, 60_000);

afterAll(async () => {
  for (const shell of running) shell.interrupt();
  await Promise.all([...running].map((shell) => shell.ended()));
  rmSync(data, { recursive: true, force: true });
});

describe("the quick start", () => {
  test("OPS-04: the README leads from npm start to a webhook that was acted on and can be seen", async () => {
    const said = await outputOf(here(firstSteps));
    expect(said).toMatch(/^202 in \d+ ms: \{"correlationId":"\w+","duplicate":false\}$/m);
    await sink.saw(/#1 POST \/tickets\n[^]*x-correlation-id[^]*"title": "Update the README[^]*=> 200/);

    const printed = printedCommand(said) ?? "";
    const timeline = await until("the effect is in the timeline", async () => {
      const shown = await outputOf(withKey(printed));
      return shown.includes("executed") ? shown : undefined;
    });
    expect(timeline).toMatch(/kind: 'received'[^]*kind: 'routed'[^]*kind: 'executed'/);
    expect(timeline).toContain("sideEffectRef: 'sink-1'");

    const events = await outputOf(withKey(here(look)));
    expect(events).toContain("subject: 'github.events.pull_request.opened'");
    expect(events).toContain("routes: [ 'PULL_REQUEST_TO_SINK' ]");
  });

  test("npm start prints the same steps, with the key filled in", () => {
    const key = readFileSync(join(data, "demo-api-key"), "utf8").trim();
    const lines = stack.output().matchAll(/^ {2}((?:npm run|KEY=|curl) ?.+)$/gm);
    const printed = [...lines].map(([, command = ""]) => command.replaceAll("docs/examples/", `${data}/`));
    const steps = here(firstSteps).replace(/^KEY=.*/, `KEY=${key}`);
    expect(printed).toEqual([sinkStep, ...steps.split("\n")]);
  });

  test("ING-05, ERR-06, ERR-07: the longer walk shows what it says it shows", async () => {
    const [setting, ...steps] = pageSteps(read("docs/quick-start.md"));
    let printed = "";
    // What each sink gets before the next one takes its place: all but the refused tickets exactly once.
    const tickets = [2, 2, 1, 2];
    for (const { commands, shown } of steps) {
      if (commands.startsWith("npm run sink")) {
        await got(tickets.shift());
        sink.interrupt();
        await sink.ended();
        sink = type(built(here(commands)));
        await sink.saw(/takes requests at/);
        continue;
      }
      const typed = commands.startsWith("#") ? printed : built(here(commands));
      const once = async (): Promise<string> => outputOf(`${here(setting?.commands ?? "")}\n${typed}`);
      const expected = shown.map(here);
      if (onlyLooks(typed)) {
        await until(commands, async () => shows(await once(), expected) || undefined);
      } else {
        const output = await once();
        if (!shows(output, expected)) throw new Error(`${typed}\nshows\n${output}`);
        printed = printedCommand(output) ?? printed;
      }
    }
    await got(tickets.shift());
    expect(tickets).toEqual([]);
  });
});

async function got(tickets: number | undefined): Promise<void> {
  await sink.saw(new RegExp(`#${tickets} POST`));
  expect(sink.output().match(/^#\d+ POST/gm)).toHaveLength(tickets ?? 0);
}

/** Skips what `npm run` builds first: it was built when the stack started. */
function built(commands: string): string {
  return commands.replaceAll(/npm run (send|sink) --/g, "node dist/local/$1/main.js");
}

function printedCommand(output: string): string | undefined {
  return /^ {2}(curl .+)$/m.exec(output)?.[1];
}

/** What changes nothing can be asked again, until it shows what was meant to happen meanwhile. */
function onlyLooks(commands: string): boolean {
  return /^(api|curl) /.test(commands) && !/ -[dX] /.test(commands);
}
