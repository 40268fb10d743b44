import type { TableClient } from "@azure/data-tables";
import { describe, expect, test } from "vitest";

import { createSubjectObserver, listSubjects } from "../../../shared/ledgers/subjects.ts";
import { newTable, noRetries, tableNamed } from "../../support/storage-clients.ts";
import { proxyForFile, storageForFile } from "../../support/storage-under-test.ts";
import { until } from "../../support/until.ts";

const files = storageForFile();
const proxied = proxyForFile();

const at = (seconds: number): Date => new Date(Date.UTC(2025, 10, 18, 12, 0, seconds));
const push = "github.events.push";

const newSubjects = (): ReturnType<typeof newTable> => newTable(files.storage.connectionString);

describe("ING-10: the subjects that were observed", () => {
  test("are there at once, with when they were seen and what their payloads look like", async () => {
    const table = await newSubjects();
    const observer = createSubjectObserver(table);
    observer.observe("acme", push, { ref: "refs/heads/main", commits: [{ id: "1" }] }, at(0));
    observer.observe("acme", "shop.events.order.shipped", { order: { id: 7 } }, at(1));
    await observer.flush();
    expect(await listSubjects(table, "acme")).toEqual([
      { subject: push, count: 1, firstSeen: at(0), lastSeen: at(0), fieldPaths: ["commits[*].id", "ref"] },
      {
        subject: "shop.events.order.shipped",
        count: 1,
        firstSeen: at(1),
        lastSeen: at(1),
        fieldPaths: ["order.id"],
      },
    ]);
  });

  test("belong to their tenant (SEC-01)", async () => {
    const table = await newSubjects();
    const observer = createSubjectObserver(table);
    observer.observe("acme", push, {}, at(0));
    await observer.flush();
    expect(await listSubjects(table, "other")).toEqual([]);
    expect(await listSubjects(table, "x' or PartitionKey ne '")).toEqual([]);
  });

  test("hold no value of a payload (SEC-03)", async () => {
    const table = await newSubjects();
    const observer = createSubjectObserver(table);
    observer.observe("acme", push, { password: "hunter2", by: { "ann@example.com": 1 } }, at(0));
    await observer.flush();
    const rows: unknown[] = [];
    for await (const row of table.listEntities()) rows.push(row);
    expect(JSON.stringify(rows)).not.toMatch(/hunter2|ann@/);
    expect(JSON.stringify(rows)).toContain("password");
  });

  test("of two hosts are counted together, also when they write at the same moment", async () => {
    const table = await newSubjects();
    const hosts = [createSubjectObserver(table), createSubjectObserver(table), createSubjectObserver(table)];
    for (let second = 0; second < 90; second += 1) {
      for (const host of hosts) host.observe("acme", push, { [`field_${second}`]: 1 }, at(second));
    }
    await Promise.all(hosts.map((host) => host.flush()));
    await Promise.all(hosts.map((host) => host.flush()));
    const [found] = await listSubjects(table, "acme");
    expect(found).toMatchObject({ subject: push, count: 270, firstSeen: at(0), lastSeen: at(89) });
  });
});

describe("ING-10: observing", () => {
  test("costs a write for a new subject and then one every half minute, however many events there are", async () => {
    const { proxy } = proxied;
    const table = await newTable(proxy.connectionString);
    const observer = createSubjectObserver(table);
    const observeUntil = (from: number, to: number): void => {
      for (let second = from; second <= to; second += 1) {
        for (let event = 0; event < 100; event += 1) observer.observe("acme", push, {}, at(second));
      }
    };
    proxy.resetCounts();
    observer.observe("acme", push, {}, at(0));
    await counted(table, 1);
    observeUntil(1, 59);
    const untilSecond30 = 1 + 29 * 100 + 1;
    await counted(table, untilSecond30);
    const { insert, update, merge } = proxy.counts().table;
    expect(insert + update + merge).toBe(2);
    await observer.flush();
    expect(await countOf(table)).toBe(1 + 59 * 100);
  });

  test("subjects that have gone quiet are written by the events of others", async () => {
    const table = await newSubjects();
    const observer = createSubjectObserver(table);
    observer.observe("acme", push, {}, at(0));
    observer.observe("acme", push, {}, at(1));
    await counted(table, 1);
    observer.observe("acme", "github.events.ping", {}, at(31));
    await counted(table, 2);
    expect(await listSubjects(table, "acme")).toHaveLength(2);
  });

  test("never fails, and what could not be written is written later", async () => {
    const { proxy } = proxied;
    const table = await newTable(proxy.connectionString, noRetries);
    const problems: unknown[] = [];
    const observer = createSubjectObserver(table, (problem) => problems.push(problem));
    const broken = proxy.rules.add({ match: { service: "table" }, fault: { kind: "reset" } });
    observer.observe("acme", push, { ref: "x" }, at(0));
    observer.observe("acme", push, {}, at(1));
    await observer.flush();
    expect(problems.length).toBeGreaterThan(0);
    broken.remove();
    await observer.flush();
    expect(await listSubjects(table, "acme")).toMatchObject([
      { subject: push, count: 2, fieldPaths: ["ref"] },
    ]);
  });

  test("goes on where there is no table yet", async () => {
    const table = tableNamed(files.storage.connectionString, "subjectslater", noRetries);
    const observer = createSubjectObserver(table);
    observer.observe("acme", push, {}, at(0));
    await observer.flush();
    await table.createTable();
    await observer.flush();
    expect(await countOf(table)).toBe(1);
  });

  test("stops somewhere: a source that puts ids into its event types does not fill the table", async () => {
    const table = await newSubjects();
    const observer = createSubjectObserver(table);
    for (let id = 0; id < 1200; id += 1) observer.observe("acme", `shop.events.order_${id}`, {}, at(0));
    observer.observe("other", push, {}, at(0));
    await observer.flush();
    expect(await listSubjects(table, "acme")).toHaveLength(1000);
    expect(await listSubjects(table, "other")).toHaveLength(1);
  });
});

async function countOf(table: TableClient): Promise<number> {
  const found = await listSubjects(table, "acme");
  return found.find(({ subject }) => subject === push)?.count ?? 0;
}

async function counted(table: TableClient, count: number): Promise<void> {
  await until(`${count} pushes`, async () => ((await countOf(table)) === count ? count : undefined));
}
