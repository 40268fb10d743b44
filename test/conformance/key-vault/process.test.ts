import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { startChild, type ChildServer } from "../../support/child-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { vaultClient, vaultForTest } from "../../support/vault-client.ts";

const start = (args: readonly string[], channel?: "ipc"): ChildServer =>
  startChild("local/key-vault/main.js", args, channel);

async function urlOf(server: ChildServer): Promise<string> {
  return /http:\S+/.exec(await server.firstLine)?.[0] ?? "";
}

test("vault process: ready: one line says where it listens and where secrets are kept", async () => {
  const folder = temporaryFolder();
  const server = start(["--port", "0", "--data", folder]);
  const line = await server.firstLine;
  expect(line).toMatch(/^Key Vault listens on http:\/\/127\.0\.0\.1:\d+ and keeps secrets in /);
  expect(line.endsWith(join(folder, "secrets.jsonl"))).toBe(true);
});

test.each(["SIGTERM", "SIGINT", "disconnect"] as const)(
  "vault process: %s: it closes with exit code 0 and everything is kept",
  async (how) => {
    const folder = temporaryFolder();
    const server = start(["--port", "0", "--data", folder], "ipc");
    await vaultClient(await urlOf(server)).setSecret("x", "v");
    if (how === "disconnect") server.child.disconnect();
    else server.child.kill(how);
    expect(await server.ended).toEqual({ code: 0, signal: null });
    const { client } = await vaultForTest({ file: join(folder, "secrets.jsonl") });
    expect((await client.getSecret("x")).value).toBe("v");
  },
);

test("vault process: bad start: a wrong flag or a taken port is one readable line and exit code 1", async () => {
  const { vault } = await vaultForTest();
  for (const [args, text] of [
    [["--prot", "0"], "Unknown option '--prot'"],
    [["--port", "many"], "--port takes a number from 0 to 65535, not 'many'"],
    [["--port", `${vault.port}`], `Key Vault cannot listen on 127.0.0.1:${vault.port}: it is taken`],
  ] as const) {
    const server = start(args);
    expect(await server.ended).toEqual({ code: 1, signal: null });
    expect(server.printed.err).toContain(text);
    expect(server.printed.err.trim().split("\n")).toHaveLength(1);
    expect(server.printed.out).toBe("");
  }
});

test("vault process: log: nothing it prints carries a name or a value", async () => {
  const server = start(["--port", "0"], "ipc");
  const client = vaultClient(await urlOf(server));
  await client.setSecret("name-of-it", "hunter2");
  await client.setSecret("bad_name", "hunter2").catch(() => {});
  await client.getSecret("name-of-it");
  server.child.disconnect();
  await server.ended;
  expect(server.printed.err).toBe("");
  expect(server.printed.out).not.toMatch(/hunter2|name-of-it|bad_name/);
});

test("vault process: kill -9: three times under load, no acknowledged set is lost", async () => {
  const folder = temporaryFolder();
  const acknowledged = new Map<string, string>();
  let sent = 0;
  for (const round of [1, 2, 3]) {
    const server = start(["--port", "0", "--data", folder]);
    const client = vaultClient(await urlOf(server), { retryOptions: { maxRetries: 0 } });
    const target = 200 * round;
    const worker = async (): Promise<void> => {
      for (;;) {
        const name = `secret-${sent}`;
        const value = `value ${sent} of round ${round}`;
        sent += 1;
        try {
          await client.setSecret(name, value);
        } catch {
          return;
        }
        acknowledged.set(name, value);
        if (acknowledged.size === target) server.child.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    expect(await server.ended).toEqual({ code: null, signal: "SIGKILL" });
  }
  const { client } = await vaultForTest({ file: join(folder, "secrets.jsonl") });
  const names = [...acknowledged.keys()];
  const read = await Promise.all(names.map((name) => client.getSecret(name).catch(() => undefined)));
  const lost = names.filter((name, index) => read[index]?.value !== acknowledged.get(name));
  console.log(`kill -9, 3 times: ${sent} sets sent, ${names.length} acknowledged, ${lost.length} lost`);
  expect(names.length).toBeGreaterThanOrEqual(600);
  expect(lost).toEqual([]);
  expect(readFileSync(join(folder, "secrets.jsonl"), "utf8").endsWith("\n")).toBe(true);
});
