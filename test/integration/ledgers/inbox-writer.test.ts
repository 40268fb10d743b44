import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";

import type { Envelope } from "../../../shared/envelope/envelope.ts";
import { newId, shardOf } from "../../../shared/envelope/ids.ts";
import { createInboxWriter, type InboxWriter } from "../../../shared/ingest/inbox-writer.ts";
import { recordQuarantine } from "../../../shared/ingest/quarantine.ts";
import { sweepInbox } from "../../../shared/ingest/sweep-inbox.ts";
import { findFailure } from "../../../shared/ledgers/failures.ts";
import { listEscalations } from "../../../shared/ledgers/escalations.ts";
import {
  findWebhook,
  forgetPending,
  readPending,
  type Stored,
  type StoredWebhook,
} from "../../../shared/ledgers/inbox.ts";
import { collect } from "../../support/collect.ts";
import { until } from "../../support/until.ts";
import { envelope, tenantId } from "./fixtures.ts";
import { keptLog, type PlatformUnderTest, startPlatform } from "./platform-under-test.ts";

let held: PlatformUnderTest;
beforeAll(async () => {
  held = await startPlatform();
});
afterAll(() => held?.stop());
beforeEach(() => held.proxy.resetCounts());
afterEach(async () => {
  held.proxy.rules.clear();
  await sweep(afterLease);
  await held.publishedSoFar();
});

/** So long that no writer of an earlier test says in between that it is alive. */
const leaseMs = 3_600_000;
const afterLease = { secondsLater: 3601 };
const never = (): Promise<void> => new Promise(() => {});

/** A process that accepts webhooks; `publish` is its way to the bus. */
function startWriter(publish: (envelope: Envelope) => Promise<void> = held.services.publish): InboxWriter {
  const { inbox, inboxWriters, unpublished } = held.services.tables;
  const tables = { inbox, writers: inboxWriters, unpublished };
  return createInboxWriter({ ...tables, publish, leaseMs, patienceMs: 100 });
}

function webhook(id = newId(), more: Partial<StoredWebhook> = {}): StoredWebhook {
  return {
    envelope: envelope({ id }),
    contentType: "application/json",
    headers: { "x-github-event": "pull_request" },
    size: 7,
    body: Buffer.from('{"a":1}'),
    ...more,
  };
}

const accept = (
  writer: InboxWriter,
  stored: StoredWebhook,
  onUnpublished = (): void => {},
): Promise<Stored> => writer.accept(stored, { ...stored.envelope, data: { a: 1 } }, onUnpublished);

async function sweep({ secondsLater = 0, services = held.services } = {}): Promise<string[]> {
  const log = keptLog();
  await sweepInbox(services, log, new Date(Date.now() + secondsLater * 1000));
  return log.events;
}

const rowsOf = (table: "unpublished" | "inboxWriters"): Promise<unknown[]> =>
  collect(held.services.tables[table].listEntities());

async function markers(): Promise<string[]> {
  const rows = await collect(held.services.tables.inbox.listEntities<{ eventIds: string }>());
  return rows.filter(({ rowKey }) => rowKey?.startsWith("p|")).map(({ eventIds }) => eventIds);
}

/** Ids whose rows share a partition. */
const neighbours = (count: number): string[] =>
  Array.from({ length: count }, () => `0000${newId().slice(4)}`);

describe("ING-01: storing and publishing", () => {
  test("costs one table operation and one message", async () => {
    const writer = startWriter();
    await accept(writer, webhook());
    held.proxy.resetCounts();
    const second = webhook();
    expect(await accept(writer, second)).toEqual({ kind: "new" });
    const { table } = held.proxy.counts();
    expect(Object.entries(table).filter(([, count]) => count > 0)).toEqual([["batch", 1]]);
    expect(await held.published(2)).toContain(second.envelope.id);
    const { body, ...kept } = second;
    const found = await findWebhook(held.services.tables.inbox, tenantId, second.envelope.id);
    expect(found).toMatchObject(kept);
    expect(Buffer.from(found?.body ?? []).equals(body ?? Buffer.alloc(0))).toBe(true);
  });

  test("ING-05: fifty of the same at once are one write and one message", async () => {
    const writer = startWriter();
    const stored = webhook();
    const results = await Promise.all(Array.from({ length: 50 }, () => accept(writer, stored)));
    expect(results.filter(({ kind }) => kind === "new")).toHaveLength(1);
    expect(held.proxy.counts().batched.insert).toBe(1);
    expect(await held.published(1)).toEqual([stored.envelope.id]);
    expect(await held.publishedSoFar()).toEqual([]);
  });

  test("ING-05: on several hosts at once too, and the others learn of the first", async () => {
    const stored = webhook();
    const results = await Promise.all(Array.from({ length: 8 }, () => accept(startWriter(), stored)));
    expect(results.filter(({ kind }) => kind === "new")).toHaveLength(1);
    const first = results.find((result) => result.kind === "duplicate")?.first;
    expect(first?.envelope).toEqual(stored.envelope);
    expect(await held.published(1)).toEqual([stored.envelope.id]);
    expect(await held.publishedSoFar()).toEqual([]);
  });

  test.each(["reset", "busy"] as const)(
    "a store whose acknowledgement is lost (%s) is no duplicate of itself",
    async (answer) => {
      const writer = startWriter();
      held.proxy.rules.add({
        match: { kind: "batch" },
        times: 1,
        fault: { kind: "lost-acknowledgement", answer },
      });
      const stored = webhook();
      expect(await accept(writer, stored)).toEqual({ kind: "new" });
      expect(await held.published(1)).toEqual([stored.envelope.id]);
    },
  );
});

describe("ING-01: what the bus does not take is published by the sweeper", () => {
  test("once", async () => {
    const writer = startWriter(() => Promise.reject(new Error("the bus is gone")));
    const stored = webhook();
    let told = 0;
    expect(await accept(writer, stored, () => void told++)).toEqual({ kind: "new" });
    expect(told).toBe(1);
    expect(await rowsOf("unpublished")).toHaveLength(1);
    expect(await sweep()).toEqual(["event.published-late"]);
    expect(await held.published(1)).toEqual([stored.envelope.id]);
    expect(await rowsOf("unpublished")).toEqual([]);
    expect(await sweep()).toEqual([]);
  });

  test("also when there is more of it than one look takes", async () => {
    const writer = startWriter(() => Promise.reject(new Error("the bus is gone")));
    const ids = [...neighbours(230), newId()];
    await Promise.all(ids.map((id) => accept(writer, webhook(id))));
    await sweep();
    expect((await held.published(231)).toSorted()).toEqual(ids.toSorted());
    expect(await rowsOf("unpublished")).toEqual([]);
  });

  test("when the sender was told of a failure though it was stored", async () => {
    const writer = startWriter();
    const stored = webhook();
    await accept(writer, webhook());
    await held.published(1);
    const lost = held.proxy.rules.add({
      match: { kind: "batch" },
      fault: { kind: "lost-acknowledgement", answer: "busy" },
    });
    await expect(accept(writer, stored)).rejects.toThrow("The server is busy");
    lost.remove();
    await until("the sweeper to know", async () =>
      (await rowsOf("unpublished")).length > 0 ? true : undefined,
    );
    expect(await accept(startWriter(), stored)).toMatchObject({ kind: "duplicate" });
    await sweep();
    expect(await held.published(1)).toEqual([stored.envelope.id]);
    expect(await rowsOf("unpublished")).toEqual([]);
  });

  test("not when it was never stored", async () => {
    const writer = startWriter();
    await accept(writer, webhook());
    await held.published(1);
    held.proxy.rules.add({ match: { kind: "batch" }, times: 4, fault: { kind: "busy" } });
    await expect(accept(writer, webhook())).rejects.toThrow("The server is busy");
    await until("the sweeper to know", async () =>
      (await rowsOf("unpublished")).length > 0 ? true : undefined,
    );
    await sweep();
    expect(await rowsOf("unpublished")).toEqual([]);
    expect(await held.publishedSoFar()).toEqual([]);
  });

  test("ING-07: one that cannot be read any more goes to a person, and keeps nobody else's", async () => {
    const writer = startWriter(() => Promise.reject(new Error("the bus is gone")));
    const { body: _, ...gone } = webhook(newId(), { bodyRef: "acme/gone", size: 500_000 });
    const fine = webhook();
    await Promise.all([accept(writer, gone), accept(writer, fine)]);
    expect(await sweep()).toContain("webhook.quarantined");
    expect(await held.published(1)).toEqual([fine.envelope.id]);
    const { failures } = held.services.failures;
    expect(await findFailure(failures, tenantId, gone.envelope.id)).toMatchObject({ state: "Quarantined" });
    expect(await rowsOf("unpublished")).toEqual([]);
  });

  test("the sweeper's own failure is told, and the next sweep takes up what is left", async () => {
    const writer = startWriter(() => Promise.reject(new Error("the bus is gone")));
    const stored = webhook();
    await accept(writer, stored);
    const services = { ...held.services, publish: () => Promise.reject(new Error("still gone")) };
    expect(await sweep({ services })).toEqual(["sweep.failed"]);
    expect(await rowsOf("unpublished")).toHaveLength(1);
    await sweep();
    expect(await held.published(1)).toEqual([stored.envelope.id]);
  });
});

describe("ING-01: what a process that is gone had stored is published by the sweeper", () => {
  test("once its lease is over, and nothing is left of it", async () => {
    const stored = [webhook(), webhook(), webhook()];
    const dying = startWriter(never);
    for (const each of stored) await expect(accept(dying, each)).resolves.toEqual({ kind: "new" });
    expect(await sweep()).toEqual([]);
    expect(await held.publishedSoFar()).toEqual([]);
    await sweep(afterLease);
    const ids = stored.map(({ envelope: { id } }) => id);
    expect((await held.published(3)).toSorted()).toEqual(ids.toSorted());
    expect(await rowsOf("inboxWriters")).toEqual([]);
    expect(await markers()).toEqual([]);
  });

  test("also if a duplicate came, and other webhooks, while it was still at it", async () => {
    const [first = "", other = ""] = neighbours(2);
    const dying = startWriter(({ id }) =>
      id === first ? never() : held.services.publish({ ...envelope({ id }) }),
    );
    const stored = webhook(first);
    await accept(dying, stored);
    expect(await accept(dying, stored)).toMatchObject({ kind: "duplicate" });
    await accept(dying, webhook(other));
    expect(await held.published(1)).toEqual([other]);
    await sweep(afterLease);
    expect(await held.published(1)).toContain(first);
  });

  test("ERR-05: a webhook that was kept and never told of is told of then, once", async () => {
    const stored = webhook(newId(), { problem: "body: The body is not valid JSON." });
    await startWriter().keep(stored, never);
    const before = (await listEscalations(held.services.tables.escalations, tenantId, 100)).items.length;
    expect(await sweep(afterLease)).toEqual(["webhook.quarantined"]);
    await recordQuarantine(held.services, keptLog(), stored);
    const { failures } = held.services.failures;
    expect(await findFailure(failures, tenantId, stored.envelope.id)).toMatchObject({
      state: "Quarantined",
      code: "PAYLOAD_UNUSABLE",
    });
    const { items } = await listEscalations(held.services.tables.escalations, tenantId, 100);
    expect(items.length - before).toBe(1);
    expect(await held.publishedSoFar()).toEqual([]);
  });

  test("a webhook that was kept and could not be told of is told of by the next sweep", async () => {
    const stored = webhook(newId(), { problem: "body: The body is empty." });
    const failing = (): Promise<void> => Promise.reject(new Error("storage is busy"));
    expect(await startWriter().keep(stored, failing)).toEqual({ kind: "new" });
    expect(await startWriter().keep(stored, failing)).toMatchObject({ kind: "duplicate" });
    expect(await sweep()).toEqual(["webhook.quarantined"]);
  });

  test("one that turns out to be alive loses nothing it has written since it was looked at", async () => {
    const [first = "", second = ""] = neighbours(2);
    const { inbox } = held.services.tables;
    const slow = startWriter(never);
    await accept(slow, webhook(first));
    const rows = await collect(held.services.tables.inboxWriters.listEntities<{ writerId: string }>());
    const writerId = rows.at(-1)?.writerId ?? "";
    const seen = await readPending(inbox, tenantId, shardOf(first), writerId);
    expect(seen?.eventIds).toEqual([first]);
    await accept(slow, webhook(second));
    expect(await forgetPending(inbox, tenantId, shardOf(first), writerId, seen?.etag)).toBe(false);
    expect((await readPending(inbox, tenantId, shardOf(first), writerId))?.eventIds).toEqual([first, second]);
  });

  test("a process that lives says so again and again", async () => {
    const { inbox, inboxWriters, unpublished } = held.services.tables;
    const { publish } = held.services;
    const lively = createInboxWriter({ inbox, writers: inboxWriters, unpublished, publish, leaseMs: 60 });
    const alive = async (): Promise<Date | undefined> =>
      (await collect(inboxWriters.listEntities<{ aliveUntil: Date }>()))[0]?.aliveUntil;
    await accept(lively, webhook());
    const first = await alive();
    const again = await until("it to say so again", async () => {
      const now = await alive();
      return now === undefined || first === undefined || now <= first ? undefined : now;
    });
    expect(again.getTime()).toBeLessThanOrEqual(Date.now() + 60);
  });
});

describe("ING-01: when the bus falls far behind", () => {
  test("webhooks are left to the sweeper at once, and refused when that does not take them either", async () => {
    const ids = neighbours(905);
    const published: string[] = [];
    const writer = startWriter(({ id }) => {
      published.push(id);
      return never();
    });
    const full = held.proxy.rules.add({
      match: { resource: "unpublished", kind: ["insert", "merge", "update"] },
      fault: { kind: "busy" },
    });
    const results = await Promise.allSettled(ids.map((id) => accept(writer, webhook(id))));
    const refused = results.flatMap((result) =>
      result.status === "rejected" ? [result.reason as unknown] : [],
    );
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ code: "unavailable", retryAfterSeconds: 10 });
    expect(published.length).toBeLessThanOrEqual(450);
    full.remove();
    await sweep(afterLease);
    // Some of them twice: the writer, which is not really gone, has told the sweeper meanwhile.
    const arrived = new Set<string>();
    while (arrived.size < 900) for (const id of await held.published(1)) arrived.add(id);
  });
});
