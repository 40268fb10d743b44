import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { seededRandom } from "../../../local/storage/fault-proxy/random.ts";
import { newId } from "../../../shared/envelope/ids.ts";
import { listFailures } from "../../../shared/ledgers/failure-index.ts";
import { indexKeyOf } from "../../../shared/ledgers/failure-index-row.ts";
import {
  type Failure,
  type FailureTables,
  findFailure,
  moveFailure,
  recordFailure,
} from "../../../shared/ledgers/failures.ts";
import { failureMachine, type FailureState } from "../../../shared/machines/failure.ts";
import { mayMove } from "../../../shared/machines/machine.ts";
import { collect } from "../../support/collect.ts";
import { newTable, noRetries } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";
import { at, report, tenantId } from "./fixtures.ts";

const held = proxyForFile();
let tables: FailureTables;

async function newTables(options?: Parameters<typeof newTable>[1]): Promise<FailureTables> {
  const { connectionString } = held.proxy;
  return {
    failures: await newTable(connectionString, options),
    index: await newTable(connectionString, options),
  };
}

beforeEach(async () => {
  tables = await newTables();
});
afterEach(() => held.proxy.rules.clear());

const states = Object.keys(failureMachine.states) as FailureState[];

async function listed(of: FailureTables, state: FailureState): Promise<Failure[]> {
  const page = await listFailures(of, { tenantId, states: [state], accepts: () => true }, 1000);
  return [...page.items];
}

/** A failure in that state, by the shortest way there. */
async function failureIn(state: FailureState): Promise<Failure> {
  const first = failureMachine.start.find((start) => start === state) ?? "Parked";
  const made = await recordFailure(tables, report({ state: first }));
  if (first === state) return made;
  const moved = await moveFailure(tables, tenantId, made.failureId, state);
  if (moved === undefined) throw new Error(`There is no short way to ${state}`);
  return moved;
}

describe("a failure", () => {
  test("is one row however many attempts fail, and remembers when it began", async () => {
    const failureId = newId();
    for (let attempt = 1; attempt <= 4; attempt++) {
      const lastFailedAt = at(attempt);
      await recordFailure(tables, report({ failureId, attempts: attempt, lastFailedAt }));
    }
    const [only, ...others] = await listed(tables, "Retrying");
    expect(others).toEqual([]);
    expect(only).toMatchObject({
      failureId,
      attempts: 4,
      firstFailedAt: at(1),
      lastFailedAt: at(4),
      revision: 4,
    });
    expect(await collect(tables.index.listEntities())).toHaveLength(1);
  });

  test("keeps the whole work item, whatever its size and its signs", async () => {
    const workItem = JSON.stringify({ text: "größer 🦊 ".repeat(20_000) });
    const { failureId } = await recordFailure(tables, report({ workItem }));
    expect((await findFailure(tables.failures, tenantId, failureId))?.workItem).toBe(workItem);
  });

  test("is not there for another tenant", async () => {
    const { failureId } = await recordFailure(tables, report());
    expect(await findFailure(tables.failures, "other", failureId)).toBeUndefined();
    expect(await moveFailure(tables, "other", failureId, "Resolved")).toBeUndefined();
    const query = { tenantId: "other", states, accepts: () => true };
    expect((await listFailures(tables, query, 10)).items).toEqual([]);
  });

  const moves = states.flatMap((from) =>
    states.map((to) => ({ from, to, may: mayMove(failureMachine, from, to) })),
  );
  test.each(moves.filter(({ may }) => may))("moves from $from to $to", async ({ from, to }) => {
    const { failureId, revision } = await failureIn(from);
    const moved = await moveFailure(tables, tenantId, failureId, to);
    expect(moved).toMatchObject({ state: to, revision: revision + 1 });
    expect((await listed(tables, to)).map((each) => each.failureId)).toEqual([failureId]);
  });
  test.each(moves.filter(({ may }) => !may))("does not move from $from to $to", async ({ from, to }) => {
    const before = await failureIn(from);
    expect(await moveFailure(tables, tenantId, before.failureId, to)).toBeUndefined();
    const echo = await recordFailure(tables, report({ failureId: before.failureId, state: to }));
    expect(echo).toEqual(before);
    expect(await findFailure(tables.failures, tenantId, before.failureId)).toEqual(before);
  });

  test("loses no move when several are made at once", async () => {
    const { failureId } = await recordFailure(tables, report());
    await Promise.all(
      Array.from({ length: 12 }, (_, n) => recordFailure(tables, report({ failureId, attempts: n + 2 }))),
    );
    expect(await findFailure(tables.failures, tenantId, failureId)).toMatchObject({ revision: 13 });
    expect(await collect(tables.index.listEntities())).toHaveLength(1);
  });

  test.each([0, 1, 2, 3, 4])(
    "is recorded once though the acknowledgement of write %i is lost",
    async (skip) => {
      held.proxy.rules.add({
        match: { kind: ["insert", "update", "merge", "delete"] },
        skip,
        times: 1,
        fault: { kind: "lost-acknowledgement", answer: "reset" },
      });
      const { failureId } = await recordFailure(tables, report());
      await recordFailure(tables, report({ failureId, state: "Parked", attempts: 2 }));
      expect(await listed(tables, "Parked")).toMatchObject([{ failureId, attempts: 2, revision: 2 }]);
      expect(await collect(tables.index.listEntities())).toHaveLength(1);
    },
  );
});

test("movers that crash anywhere leave no failure out of its index, and listing shows each where it is", async () => {
  const fragile = await newTables(noRetries);
  const crashes = [
    held.proxy.rules.add({ match: {}, probability: 0.06, seed: 1, fault: { kind: "reset" } }),
    held.proxy.rules.add({
      match: {},
      probability: 0.06,
      seed: 2,
      fault: { kind: "lost-acknowledgement", answer: "reset" },
    }),
  ];
  const ids = Array.from({ length: 50 }, () => newId());
  await Promise.all(
    Array.from({ length: 4 }, async (_, number) => {
      const random = seededRandom(number + 20);
      for (let step = 0; step < 150; step++) {
        const failureId = ids[Math.floor(random() * ids.length)] ?? "";
        const to = states[Math.floor(random() * states.length)] ?? "Parked";
        const lastFailedAt = at(Math.floor(random() * 5));
        const change =
          random() < 0.5
            ? recordFailure(
                fragile,
                report({ failureId, state: failureMachine.start[step % 3] ?? "Parked", lastFailedAt }),
              )
            : moveFailure(fragile, tenantId, failureId, to, { lastFailedAt });
        await change.catch(() => {});
      }
    }),
  );
  const crashed = crashes.reduce((sum, { hits }) => sum + hits, 0);
  held.proxy.rules.clear();
  const failures = (await Promise.all(ids.map((id) => findFailure(fragile.failures, tenantId, id)))).filter(
    (failure) => failure !== undefined,
  );
  const index = new Set(
    (await collect(fragile.index.listEntities())).map((row) => `${row.partitionKey} ${row.rowKey}`),
  );
  const missing = failures.filter((failure) => {
    const { partitionKey, rowKey } = indexKeyOf(failure);
    return !index.has(`${partitionKey} ${rowKey}`);
  });
  expect(missing).toEqual([]);
  for (const state of states) {
    const shown = (await listed(fragile, state)).map(({ failureId }) => failureId).toSorted();
    const there = failures.filter((failure) => failure.state === state).map(({ failureId }) => failureId);
    expect(shown).toEqual(there.toSorted());
  }
  console.log(`failure index: ${failures.length} failures, ${crashed} crashes, ${index.size} index rows`);
  expect(crashed).toBeGreaterThan(50);
});
