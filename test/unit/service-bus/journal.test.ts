import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import rhea from "rhea";
import { afterEach, describe, expect, test } from "vitest";

import { ManualClock } from "../../../local/clock.ts";
import { readContent, type MessageContent } from "../../../local/service-bus/codec/message-content.ts";
import { Broker } from "../../../local/service-bus/entities/broker.ts";
import { defaultQueueSettings, type QueueSettings } from "../../../local/service-bus/entities/settings.ts";
import { settle } from "../../../local/service-bus/entities/settlement.ts";
import { JournalStore, type JournalOptions } from "../../../local/service-bus/journal/journal-store.ts";
import { GroupCommit } from "../../../local/service-bus/journal/group-commit.ts";
import { readRecords } from "../../../local/service-bus/journal/read-records.ts";
import { encodeRecord } from "../../../local/service-bus/journal/record.ts";
import { restoreBroker } from "../../../local/service-bus/journal/restore.ts";

let directories: string[] = [];

afterEach(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  directories = [];
});

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "journal-"));
  directories.push(directory);
  return directory;
}

const journalOf = (directory: string): string => join(directory, "service-bus.journal");
const content = (id: string, body = "x"): MessageContent =>
  readContent(rhea.message.encode({ message_id: id, body }));

function open(
  directory: string,
  options: Partial<JournalOptions> = {},
  settings: Partial<QueueSettings> = {},
) {
  const log: string[] = [];
  const store = new JournalStore({
    directory,
    durability: "process",
    log: (line) => void log.push(line),
    ...options,
  });
  const broker = new Broker(new ManualClock(1000), store, {
    queues: [{ name: "q", settings: { ...defaultQueueSettings, ...settings } }],
    topics: [],
  });
  restoreBroker(broker, store);
  const queue = broker.queues.get("q")!;
  const ids = (): readonly string[] =>
    Array.from(queue.messages.values(), (message) => message.content.messageId);
  return { store, broker, queue, ids, log };
}

describe("the journal", () => {
  test.each(["process", "power"] as const)(
    "brings back what was recorded, and nothing that was removed: %s",
    (durability) => {
      const directory = newDirectory();
      const first = open(directory, { durability });
      first.broker.send(first.queue, [content("a"), content("b"), content("c")]);
      const [message] = first.queue.messages.values();
      settle(first.queue, first.queue.locks.lock(message!, undefined, 99_999), { kind: "complete" });
      first.store.close();
      const second = open(directory);
      expect(second.ids()).toEqual(["b", "c"]);
      expect(second.queue.nextSequence).toBe(4);
      second.store.close();
    },
  );

  test("cut anywhere, it still says a beginning of what it said, and takes more", () => {
    const directory = newDirectory();
    const first = open(directory);
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
    for (const id of ids) first.broker.send(first.queue, [content(id)]);
    first.store.close();
    const whole = readFileSync(journalOf(directory));
    fc.assert(
      fc.property(fc.nat(whole.length), (length) => {
        writeFileSync(journalOf(directory), whole.subarray(0, length));
        const { ids: found, store, broker, queue } = open(directory);
        const kept = found();
        expect(kept).toEqual(ids.slice(0, kept.length));
        broker.send(queue, [content("after")]);
        store.close();
        const again = open(directory);
        expect(again.ids()).toEqual([...kept, "after"]);
        again.store.close();
      }),
      { numRuns: 60 },
    );
  });

  test("with any byte at its end changed, it loses no record before that byte", () => {
    const path = join(newDirectory(), "j");
    const record = (sequence: number) => encodeRecord({ kind: "next-sequence", queue: "q", next: sequence });
    const whole = Buffer.concat([record(1), record(2), record(3)]);
    const last = whole.length - record(3).length;
    fc.assert(
      fc.property(
        fc.integer({ min: last, max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const damaged = Buffer.from(whole);
          damaged[at] = damaged[at]! ^ change;
          writeFileSync(path, damaged);
          expect(Array.from(readRecords(path), ({ record: found }) => found)).toMatchObject([
            { next: 1 },
            { next: 2 },
          ]);
        },
      ),
    );
  });

  test("is read in pieces: records larger than one piece and many small ones", () => {
    const path = join(newDirectory(), "j");
    const record = (session: string, bytes: number) =>
      encodeRecord({ kind: "session-state", queue: "q", session, cleared: false }, [Buffer.alloc(bytes)]);
    const sizes = [10, 20_000_000, 5, 16_777_216, 100];
    writeFileSync(path, Buffer.concat(sizes.map((size, index) => record(String(index), size))));
    expect(Array.from(readRecords(path), ({ payload }) => payload.length)).toEqual(sizes);
  });

  test("keeps a torn tail aside and says so", () => {
    const directory = newDirectory();
    open(directory).store.close();
    appendFileSync(journalOf(directory), "torn");
    const { log, store } = open(directory);
    expect(log.join()).toMatch(/4 bytes that are no whole record/);
    expect(readFileSync(`${journalOf(directory)}.torn`).toString()).toMatch(/torn$/);
    store.close();
  });

  test("is rewritten when most of it is dead, and says the same afterwards", () => {
    const directory = newDirectory();
    const { broker, queue, store } = open(directory, { compactAboveBytes: 100_000 });
    const kept = Array.from({ length: 5 }, (_, index) => `kept${index}`);
    for (const id of kept) broker.send(queue, [content(id)]);
    for (let round = 0; round < 500; round++) {
      broker.send(queue, [content(`passing${round}`, "y".repeat(1000))]);
      const message = [...queue.messages.values()].at(-1)!;
      settle(queue, queue.locks.lock(message, undefined, 99_999), { kind: "complete" });
      store.flush();
    }
    expect(statSync(journalOf(directory)).size).toBeLessThan(210_000);
    store.close();
    const again = open(directory);
    expect(again.ids()).toEqual(kept);
    expect(again.queue.nextSequence).toBe(506);
    again.store.close();
  });

  test("keeps the messages of an entity whose configuration has changed", () => {
    const directory = newDirectory();
    const first = open(directory);
    first.broker.send(first.queue, [content("a")]);
    first.store.close();
    const second = open(directory, {}, { requiresSession: true });
    expect(second.ids()).toEqual([]);
    const dead = [...(second.queue.deadLetters?.messages.values() ?? [])];
    expect(dead.map((message) => message.content.messageId)).toEqual(["a"]);
    second.store.close();
    const third = open(directory, {}, { requiresSession: true });
    expect(third.queue.deadLetters?.messages.size).toBe(1);
    third.store.close();
  });

  test("is empty again when it is cut to nothing", () => {
    const directory = newDirectory();
    open(directory).store.close();
    truncateSync(journalOf(directory));
    const { ids, store } = open(directory);
    expect(ids()).toEqual([]);
    store.close();
  });
});

describe("a group commit", () => {
  test("tells nobody before the write has succeeded, and then everybody, in order", () => {
    const told: string[] = [];
    const log: string[] = [];
    let disk = "full";
    const written: Buffer[] = [];
    const group = new GroupCommit(
      (chunks) => {
        if (disk === "full") throw new Error("no space");
        written.push(...chunks);
      },
      (line) => log.push(line),
    );
    group.append(Buffer.from("a"));
    group.commit(() => told.push("first"));
    group.commit(() => told.push("second"));
    expect(group.flush()).toBe(false);
    expect(group.flush()).toBe(false);
    expect(told).toEqual([]);
    expect(log).toHaveLength(1);
    disk = "free";
    expect(group.flush()).toBe(true);
    expect(told).toEqual(["first", "second"]);
    expect(Buffer.concat(written).toString()).toBe("a");
  });
});
