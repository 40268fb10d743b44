import type { TableClient } from "@azure/data-tables";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { newId, shardOf } from "../../../shared/envelope/ids.ts";
import {
  type Claim,
  type ClaimAnswer,
  type Claimant,
  claimEffect,
  completeEffect,
  type EffectKey,
  findEffect,
  parkEffect,
  renewClaim,
  waitForNextAttempt,
} from "../../../shared/ledgers/effects.ts";
import { purgeEffects } from "../../../shared/ledgers/purge-effects.ts";
import { createGroupCommit, type GroupCommit } from "../../../shared/platform/group-commit.ts";
import { collect } from "../../support/collect.ts";
import { newTable } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";
import { at, claimant, tenantId } from "./fixtures.ts";

const held = proxyForFile();
let table: TableClient;
let commit: GroupCommit;
let effect: EffectKey;

beforeEach(async () => {
  table = await newTable(held.proxy.connectionString);
  commit = createGroupCommit(table);
  effect = { tenantId, key: newId() };
  held.proxy.resetCounts();
});
afterEach(() => held.proxy.rules.clear());

const leaseSeconds = 60;

const claim = (seconds: number, change: Partial<Claimant> = {}): Promise<ClaimAnswer> =>
  claimEffect(commit, table, effect, claimant(change), at(seconds), at(seconds + leaseSeconds));

async function win(seconds: number, change: Partial<Claimant> = {}): Promise<Claim> {
  const answer = await claim(seconds, change);
  if (answer.kind !== "won") throw new Error(`The claim was not won but ${answer.kind}`);
  return answer.claim;
}

const complete = (won: Claim, ref = "ref-1", seconds = 5): Promise<boolean> =>
  completeEffect(commit, table, won, ref, at(seconds), 30);

describe("LED-03: claiming an effect", () => {
  test("of many at once, on many hosts, exactly one wins and the others are told until when it is busy", async () => {
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, n) => {
        const host = createGroupCommit(table);
        return claimEffect(host, table, effect, claimant({ workId: `w${n}` }), at(0), at(leaseSeconds));
      }),
    );
    expect(answers.filter(({ kind }) => kind === "won")).toHaveLength(1);
    const busy = answers.filter((answer) => answer.kind === "busy");
    expect(busy).toHaveLength(63);
    expect(new Set(busy.map(({ until }) => until.getTime()))).toEqual(new Set([at(leaseSeconds).getTime()]));
  });

  test("costs one operation", async () => {
    await win(0);
    const { table: operations } = held.proxy.counts();
    expect(Object.values(operations).reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  test("a lease that ran out can be taken over, by one alone, who is told that it is in doubt", async () => {
    await win(0);
    expect((await claim(leaseSeconds - 1)).kind).toBe("busy");
    const answers = await Promise.all(
      Array.from({ length: 32 }, () =>
        claimEffect(createGroupCommit(table), table, effect, claimant(), at(61), at(121)),
      ),
    );
    const won = answers.filter((answer) => answer.kind === "won");
    expect(won).toHaveLength(1);
    expect(won[0]?.claim.inDoubt).toBe(true);
  });

  test("who lost the claim can neither complete nor wait nor park nor renew", async () => {
    const late = await win(0);
    const heir = await win(61);
    expect(await complete(late)).toBe(false);
    expect(await waitForNextAttempt(commit, table, late, at(100), false)).toBe(false);
    expect(await parkEffect(commit, table, late, false)).toBe(false);
    expect(await renewClaim(commit, table, late, at(500))).toBeUndefined();
    expect(await complete(heir, "of-the-heir")).toBe(true);
    expect(await findEffect(table, effect)).toMatchObject({ state: "done", sideEffectRef: "of-the-heir" });
  });

  test("a claim can be given more time before its end, and is then held as long", async () => {
    const renewed = await renewClaim(commit, table, await win(0), at(200));
    expect((await claim(150)).kind).toBe("busy");
    expect(renewed && (await complete(renewed))).toBe(true);
  });
});

describe("LED-02: an effect that is done", () => {
  test("answers every later claim with what was done, whoever asks", async () => {
    await complete(await win(0));
    const first = { kind: "done", sideEffectRef: "ref-1", correlationId: claimant().correlationId };
    expect(await claim(1)).toEqual(first);
    expect(await claim(10_000, { workId: "another", attempt: 7, correlationId: "x" })).toEqual(first);
  });

  test("has the row that the requirement names", async () => {
    await complete(await win(0));
    expect(await findEffect(table, effect)).toMatchObject({
      state: "done",
      routeName: "orders",
      objectId: "order-1",
      sideEffectRef: "ref-1",
      payloadHash: "hash",
      correlationId: claimant().correlationId,
      createdAt: at(0),
      doneAt: at(5),
    });
  });

  test("is another one for another tenant", async () => {
    await complete(await win(0));
    const other = { ...effect, tenantId: "other" };
    expect(await findEffect(table, other)).toBeUndefined();
    expect((await claimEffect(commit, table, other, claimant(), at(0), at(60))).kind).toBe("won");
  });
});

describe("an attempt that failed", () => {
  test("FST-08: once made is not made again, and leads to the one next attempt", async () => {
    await waitForNextAttempt(commit, table, await win(0), at(30), false);
    expect(await claim(1)).toEqual({ kind: "made", attempt: 1, nextAttemptAt: at(30) });
    const answers = await Promise.all(
      Array.from({ length: 16 }, () =>
        claimEffect(createGroupCommit(table), table, effect, claimant({ attempt: 2 }), at(30), at(90)),
      ),
    );
    expect(answers.filter(({ kind }) => kind === "won")).toHaveLength(1);
    expect(await findEffect(table, effect)).toMatchObject({ state: "claimed", attempt: 2 });
  });

  test("is in doubt for the next one only where it may have happened", async () => {
    await waitForNextAttempt(commit, table, await win(0), at(30), false);
    const second = await win(30, { attempt: 2 });
    expect(second.inDoubt).toBe(false);
    await waitForNextAttempt(commit, table, second, at(60), true);
    expect((await win(60, { attempt: 3 })).inDoubt).toBe(true);
  });

  test("keeps other work with the same key waiting, but not beyond the time its next attempt was due", async () => {
    await waitForNextAttempt(commit, table, await win(0), at(30), true);
    expect(await claim(10, { workId: "other" })).toEqual({ kind: "busy", until: at(30) });
    const other = await win(31, { workId: "other" });
    expect(other.inDoubt).toBe(true);
    expect((await claim(32, { attempt: 2 })).kind).toBe("busy");
    await complete(other);
    expect((await claim(33, { attempt: 2 })).kind).toBe("done");
  });

  test("parked, is not made again by its own message, but by a replay or by other work", async () => {
    await parkEffect(commit, table, await win(0, { attempt: 3 }), true);
    expect(await claim(1, { attempt: 3 })).toEqual({ kind: "made", attempt: 3 });
    expect(await claim(1, { attempt: 2 })).toEqual({ kind: "made", attempt: 3 });
    const replayed = await win(2, { attempt: 4 });
    expect(replayed.inDoubt).toBe(true);
    await parkEffect(commit, table, replayed, false);
    expect((await win(3, { workId: "other", attempt: 1 })).inDoubt).toBe(false);
  });
});

/** One life of an effect: an attempt that fails, one that succeeds, and a duplicate. */
async function life(): Promise<string[]> {
  const told: string[] = [];
  const first = await win(0);
  told.push(`first ${first.inDoubt ? "in doubt" : "sure"}`);
  told.push(`waits ${await waitForNextAttempt(commit, table, first, at(30), false)}`);
  const second = await win(30, { attempt: 2 });
  told.push(`second ${second.inDoubt ? "in doubt" : "sure"}`);
  const renewed = await renewClaim(commit, table, second, at(200));
  told.push(`renewed ${renewed !== undefined}`);
  told.push(`done ${renewed !== undefined && (await complete(renewed))}`);
  told.push((await claim(40, { attempt: 2 })).kind);
  return told;
}

const uneventful = ["first sure", "waits true", "second sure", "renewed true", "done true", "done"];
const writes = ["insert", "merge", "update", "batch"] as const;

describe("LED-04: an acknowledgement that is lost changes nothing", () => {
  for (const answer of ["reset", "busy"] as const) {
    test.each([0, 1, 2, 3, 4, 5])(`(${answer}) at write %i of an effect's life`, async (skip) => {
      held.proxy.rules.add({
        match: { kind: writes },
        skip,
        times: 1,
        fault: { kind: "lost-acknowledgement", answer },
      });
      expect(await life()).toEqual(uneventful);
    });
  }

  test("at most of its writes", async () => {
    const rule = held.proxy.rules.add({
      match: { kind: writes },
      probability: 0.5,
      seed: 8,
      fault: { kind: "lost-acknowledgement", answer: "busy" },
    });
    expect(await life()).toEqual(uneventful);
    expect(rule.hits).toBeGreaterThan(2);
  });
});

describe("purging the ledger", () => {
  const purge = (seconds: number, limit = 100): Promise<number> =>
    purgeEffects(table, tenantId, shardOf(effect.key), at(seconds), limit);
  const days = (count: number): number => count * 86_400;

  test("removes what is past its retention, and nothing else", async () => {
    await complete(await win(0));
    expect(await purge(days(30))).toBe(0);
    expect(await purge(days(31))).toBe(1);
    expect(await collect(table.listEntities())).toEqual([]);
    expect((await win(days(32))).inDoubt).toBe(false);
  });

  test("at most so many at a time", async () => {
    for (let n = 0; n < 5; n++) {
      effect = { tenantId, key: effect.key.slice(0, 31) + n.toString(16) };
      await complete(await win(0));
    }
    expect([await purge(days(31), 3), await purge(days(31), 3), await purge(days(31), 3)]).toEqual([3, 2, 0]);
  });

  test("cut short or told twice takes along no effect that was made since under the same key", async () => {
    await complete(await win(0));
    held.proxy.rules.add({
      match: { kind: "batch" },
      times: 1,
      fault: { kind: "lost-acknowledgement", answer: "reset" },
    });
    expect(await purge(days(31))).toBe(1);
    await complete(await win(days(31)), "anew", days(31));
    expect(await purge(days(32))).toBe(0);
    expect(await findEffect(table, effect)).toMatchObject({ sideEffectRef: "anew" });
  });

  test("clears away an expiry whose effect is gone", async () => {
    await complete(await win(0));
    await table.deleteEntity(`${tenantId}|${shardOf(effect.key)}`, effect.key);
    expect(await purge(days(31))).toBe(1);
    expect(await collect(table.listEntities())).toEqual([]);
  });
});
