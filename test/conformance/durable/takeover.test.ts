import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { HostProcess } from "../../support/host-process.ts";

const rounds = 6;
let dataDir: string;
let hosts: HostProcess[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "takeover-"));
  hosts = [];
});
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.kill()));
  rmSync(dataDir, { recursive: true });
});

function start(): HostProcess {
  const host = new HostProcess({ dataDir });
  hosts.push(host);
  return host;
}

async function startOrchestration(host: HostProcess, id: string): Promise<number> {
  const { url } = await host.hears("ready");
  const body = JSON.stringify({ rounds });
  return (await fetch(`${url}/api/start/rounds/${id}`, { method: "POST", body })).status;
}

async function expectComplete(host: HostProcess, ids: readonly string[]): Promise<void> {
  for (const id of ids) host.tell({ watch: id });
  for (const id of ids) {
    expect(await host.hears("finished", (told) => told.id === id)).toMatchObject({
      status: "Completed",
      output: [0, 1, 2, 3, 4, 5],
    });
  }
}

describe("two hosts that share a data folder (RUN-05)", () => {
  test("have one leader, to which the other hands durable calls on", async () => {
    const leader = start();
    await leader.hears("leading");
    const standby = start();
    expect(await standby.hears("ready")).toMatchObject({ leads: false });
    expect(await startOrchestration(standby, "forwarded")).toBe(202);
    await expectComplete(leader, ["forwarded"]);
    expect(leader.reports("round")).toHaveLength(rounds);
    expect(standby.reports("round")).toEqual([]);

    const { url } = await standby.hears("ready");
    const status = await fetch(`${url}/runtime/webhooks/durabletask/instances/forwarded`);
    expect(await status.json()).toMatchObject({ runtimeStatus: "Completed" });
    expect((await fetch(`${url}/runtime/webhooks/durabletask/instances/nobody`)).status).toBe(404);
  });

  test("end what was under way when the leader is killed", async () => {
    const leader = start();
    await leader.hears("leading");
    const standby = start();
    await standby.hears("ready");
    const ids = Array.from({ length: 30 }, (_, n) => `i-${n}`);
    for (const [n, id] of ids.entries()) {
      expect(await startOrchestration(n % 2 ? leader : standby, id)).toBe(202);
    }
    await leader.hears("report", (told) => told.name === "round" && told.detail === "i-29 0");
    await leader.kill();
    await standby.hears("leading");
    await expectComplete(standby, ids);
    expect(await startOrchestration(standby, "afterwards")).toBe(202);
    await expectComplete(standby, ["afterwards"]);
  });

  test("run timers on the leader alone", async () => {
    const leader = start();
    await leader.hears("leading");
    const standby = start();
    await standby.hears("ready");
    await leader.hears("report", () => leader.reports("tick").length >= 2);
    expect(standby.reports("tick")).toEqual([]);
    await leader.kill();
    await standby.hears("report", ({ name }) => name === "tick");
  });

  test("give way to a third when both are gone", async () => {
    const first = start();
    await first.hears("leading");
    const second = start();
    await second.hears("ready");
    expect(await startOrchestration(first, "handed-down")).toBe(202);
    await first.kill();
    await second.hears("leading");
    await second.kill();
    const third = start();
    await third.hears("leading");
    await expectComplete(third, ["handed-down"]);
  });
});
