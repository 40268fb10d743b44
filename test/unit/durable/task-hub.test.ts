import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { TaskHub } from "../../../local/host/durable/hub.ts";
import type { Entity, Orchestration } from "../../../local/host/durable/instance.ts";
import { StartError } from "../../../local/start-error.ts";
import { change, finished } from "../../support/hub-changes.ts";

const tiny = { rotateAtBytes: 2000 };
let dir: string;
let hub: TaskHub;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hub-"));
  hub = await TaskHub.open(dir, tiny);
});
afterEach(async () => {
  await hub.close();
  rmSync(dir, { recursive: true });
});

async function reopen(): Promise<void> {
  await hub.close();
  hub = await TaskHub.open(dir, tiny);
}

/** Enough commits that the journal begins anew, whatever it held. */
async function rotate(): Promise<void> {
  const before = journal();
  for (let n = 0; journal() === before; n += 1) {
    await hub.commit([change.create("filler", JSON.stringify("x".repeat(500))), change.purge("filler")]);
    if (n > 1000) throw new Error("The journal does not rotate");
  }
}

function journal(): string {
  return files().find((name) => name.startsWith("journal")) ?? "";
}

function files(): string[] {
  return readdirSync(dir).toSorted();
}

function output(id: string): string | null | undefined {
  return (hub.get(id) as Orchestration | undefined)?.output;
}

function ids(): string[] {
  return hub.list({}, 1000).map(({ id }) => id);
}

describe("a task hub", () => {
  test("holds after a restart what it held before", async () => {
    await hub.commit([change.create("running"), change.raise("running", "1")]);
    await hub.commit(finished("done", '"out"'));
    await hub.commit([change.ask("@counter@k", "add"), change.entity("@counter@k", [0], "5")]);
    const before = hub.list({}, 100);
    await reopen();
    expect(hub.list({}, 100)).toEqual(before);
  });

  test("forgets a commit that a crash cut off, wholly", async () => {
    await hub.commit(finished("first", "1"));
    const path = join(dir, journal());
    const sure = readFileSync(path).length;
    await hub.commit([...finished("second", "2"), ...finished("third", "3")]);
    await hub.close();
    const written = readFileSync(path);
    for (const cut of [sure + 1, sure + 20, written.length - 2, written.length - 1]) {
      writeFileSync(path, written.subarray(0, cut));
      hub = await TaskHub.open(dir, tiny);
      expect(ids()).toEqual(["first"]);
      await hub.close();
      expect(readFileSync(path)).toHaveLength(sure);
    }
    hub = await TaskHub.open(dir, tiny);
  });

  test("can be written to after a crash cut a commit off", async () => {
    await hub.commit(finished("first", "1"));
    await hub.close();
    appendFileSync(join(dir, journal()), '0badc0de [{"do":"purge","id":"fir');
    hub = await TaskHub.open(dir, tiny);
    await hub.commit(finished("second", "2"));
    await reopen();
    expect(ids()).toEqual(["first", "second"]);
  });

  test("that is damaged in the middle does not open, and is left as it is", async () => {
    await hub.commit(finished("first", "1"));
    await hub.commit(finished("second", "2"));
    await hub.close();
    const path = join(dir, journal());
    const damaged = readFileSync(path);
    damaged[damaged.length >> 1] = 0;
    writeFileSync(path, damaged);
    await expect(TaskHub.open(dir)).rejects.toThrow(/journal is damaged at byte \d+/);
    expect(readFileSync(path)).toEqual(damaged);
    rmSync(path);
    hub = await TaskHub.open(dir, tiny);
  });

  test("of another version does not open", async () => {
    await hub.close();
    writeFileSync(join(dir, "journal-9.jsonl"), "");
    await expect(TaskHub.open(dir)).rejects.toThrow(StartError);
    rmSync(join(dir, "journal-9.jsonl"));
    hub = await TaskHub.open(dir, tiny);
  });

  test("acknowledges commits that come together in their order", async () => {
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        await hub.commit(finished(`i-${n}`, String(n)));
        order.push(n);
      }),
    );
    expect(order).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });
});

describe("a task hub whose journal has grown", () => {
  test("keeps what has finished within reach, and in lists", async () => {
    await hub.commit(finished("done", '"out"'));
    await hub.commit([change.create("running")]);
    await rotate();
    expect(hub.getLive("done")).toBeUndefined();
    expect(output("done")).toBe('"out"');
    expect(ids()).toEqual(["done", "running"]);
    await reopen();
    expect(output("done")).toBe('"out"');
    expect(ids()).toEqual(["done", "running"]);
    expect(hub.getLive("running")).toBeDefined();
  });

  test("loses nothing while commits keep coming", async () => {
    const live = async (n: number): Promise<void> => {
      await hub.commit([change.create(`i-${n}`, JSON.stringify("x".repeat(200)))]);
      await hub.commit([change.raise(`i-${n}`, "1")]);
      if (n % 3 > 0) await hub.commit([change.episode(`i-${n}`, "Completed", String(n), [0, 1])]);
    };
    for (let wave = 0; wave < 30; wave += 1) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => live(wave * 10 + n)));
    }
    expect(Number(/\d+/.exec(journal())?.[0])).toBeGreaterThan(3);
    for (const round of ["as it is", "restarted"]) {
      if (round === "restarted") await reopen();
      expect(ids()).toHaveLength(300);
      for (let n = 0; n < 300; n += 1) {
        expect(output(`i-${n}`)).toBe(n % 3 > 0 ? String(n) : null);
        expect(hub.get(`i-${n}`)?.inbox).toHaveLength(n % 3 > 0 ? 0 : 2);
      }
    }
  });

  test("does not bring back what was purged", async () => {
    await hub.commit([...finished("purged", "1"), ...finished("kept", "2"), ...finished("too", "3")]);
    await rotate();
    await hub.commit([change.purge("purged")]);
    expect(ids()).toEqual(["kept", "too"]);
    await reopen();
    expect(ids()).toEqual(["kept", "too"]);
    await rotate();
    await reopen();
    expect(ids()).toEqual(["kept", "too"]);
    await rotate();
    await rotate();
    await reopen();
    expect(ids()).toEqual(["kept", "too"]);
  });

  test("holds the newest of what was run again under one id", async () => {
    await hub.commit([...finished("again", "1"), ...finished("a", "0"), ...finished("b", "0")]);
    await rotate();
    await hub.commit([change.create("again", "2")]);
    await rotate();
    await reopen();
    expect(output("again")).toBeNull();
    expect(hub.getLive("again")).toBeDefined();
    await hub.commit([change.episode("again", "Completed", "2")]);
    await rotate();
    await reopen();
    expect(output("again")).toBe("2");
    await hub.commit([change.purge("again")]);
    await rotate();
    await reopen();
    expect(hub.get("again")).toBeUndefined();
    expect(ids()).toEqual(["a", "b"]);
  });

  test("brings an entity at rest back with its state when it is spoken to", async () => {
    await hub.commit([change.ask("@counter@k", "add"), change.entity("@counter@k", [0], "5")]);
    await rotate();
    expect(hub.getLive("@counter@k")).toBeUndefined();
    await hub.commit([change.ask("@counter@k", "first"), change.ask("@counter@k", "second")]);
    const revived = hub.getLive("@counter@k") as Entity;
    expect(revived.state).toBe("5");
    expect(revived.inbox.map(({ request }) => request.kind === "op" && request.op)).toEqual([
      "first",
      "second",
    ]);
    await reopen();
    expect(hub.getLive("@counter@k")).toEqual(revived);
    await rotate();
    await reopen();
    expect(hub.getLive("@counter@k")).toEqual(revived);
  });

  test("does not bring back an entity that ended its existence", async () => {
    await hub.commit([change.ask("@counter@k", "add"), change.entity("@counter@k", [0], "5")]);
    await hub.commit(finished("a", "1"));
    await hub.commit(finished("b", "1"));
    await rotate();
    await hub.commit([change.ask("@counter@k", "remove")]);
    await hub.commit([change.entity("@counter@k", [1], null)]);
    expect(hub.get("@counter@k")).toBeUndefined();
    await rotate();
    await reopen();
    expect(hub.get("@counter@k")).toBeUndefined();
  });

  test("drops segments that are mostly dead and keeps what is left of them", async () => {
    for (let n = 0; n < 10; n += 1) await hub.commit(finished(`i-${n}`, String(n)));
    await rotate();
    const segment =
      files()
        .filter((name) => name.startsWith("archive"))
        .at(-1) ?? "";
    for (const { id } of hub.list({}, 100).slice(0, 9)) await hub.commit([change.purge(id)]);
    await rotate();
    expect(files()).not.toContain(segment);
    expect(ids()).toEqual(["i-9"]);
    expect(output("i-9")).toBe("9");
    await reopen();
    expect(output("i-9")).toBe("9");
  });

  test("ignores what a crash left half done", async () => {
    await hub.commit([...finished("done", "1"), change.create("running")]);
    await rotate();
    await hub.close();
    const next = Number(/\d+/.exec(journal())?.[0]) + 1;
    writeFileSync(join(dir, `archive-${next}.jsonl`), '{"half":');
    writeFileSync(join(dir, `journal-${next}.jsonl.new`), "00000000 {");
    hub = await TaskHub.open(dir, tiny);
    expect(ids()).toEqual(["done", "running"]);
    expect(files().some((name) => name.includes(String(next)))).toBe(false);
  });
});
