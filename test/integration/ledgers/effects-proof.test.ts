import type { TableClient } from "@azure/data-tables";
import { beforeEach, expect, test } from "vitest";

import { seededRandom } from "../../../local/storage/fault-proxy/random.ts";
import { newId } from "../../../shared/envelope/ids.ts";
import { type Claim, claimEffect, completeEffect, findEffect } from "../../../shared/ledgers/effects.ts";
import { createGroupCommit, type GroupCommit } from "../../../shared/platform/group-commit.ts";
import { newTable } from "../../support/storage-clients.ts";
import { proxyForFile } from "../../support/storage-under-test.ts";
import { claimant, tenantId } from "./fixtures.ts";

const held = proxyForFile();
let table: TableClient;
beforeEach(async () => {
  table = await newTable(held.proxy.connectionString);
});

const keyCount = 200;
const workerCount = 8;
const leaseMs = 250;

/** Time that passes with every look at it: leases run out without anybody waiting for them. */
let clock = Date.UTC(2026, 10, 18);
const look = (): Date => new Date((clock += 0.2));

/** A vendor that can be asked; what it does twice it has done twice. */
const vendor = {
  effects: new Map<string, string[]>(),
  perform(key: string): string {
    const ref = newId();
    this.effects.set(key, [...(this.effects.get(key) ?? []), ref]);
    return ref;
  },
};

const seen = { crashes: 0, overruns: 0, fenced: 0, inDoubt: 0, takenForDone: 0 };

interface Worker {
  readonly commit: GroupCommit;
  readonly random: () => number;
  readonly late: (() => Promise<boolean>)[];
}

/** Whether the key is done with. */
async function work({ commit, random, late }: Worker, key: string): Promise<boolean> {
  const now = look();
  const leaseUntil = new Date(now.getTime() + leaseMs);
  const effect = { tenantId, key };
  const answer = await claimEffect(commit, table, effect, claimant(), now, leaseUntil);
  if (answer.kind === "done") return true;
  if (answer.kind !== "won") return false;
  const { claim } = answer;
  if (claim.inDoubt) seen.inDoubt++;
  if (random() < 0.1) return crash();
  const found = claim.inDoubt ? vendor.effects.get(key)?.[0] : undefined;
  if (found !== undefined) seen.takenForDone++;
  // The holder stops at the deadline it computed before it claimed.
  else if (look() >= leaseUntil) return false;
  const ref = found ?? vendor.perform(key);
  if (random() < 0.1) return crash();
  if (random() < 0.12) return overrun(late, () => finish(commit, claim, ref));
  return finish(commit, claim, ref);
}

/** The worker goes on with it in its next round, as if nothing had happened. */
function overrun(late: Worker["late"], finishing: () => Promise<boolean>): false {
  seen.overruns++;
  clock += leaseMs / 3;
  late.push(finishing);
  return false;
}

function crash(): false {
  seen.crashes++;
  return false;
}

async function finish(commit: GroupCommit, claim: Claim, ref: string): Promise<boolean> {
  const isOurs = await completeEffect(commit, table, claim, ref, look(), 30);
  if (!isOurs) seen.fenced++;
  return isOurs;
}

test("LED-03, LED-04: 200 keys and 8 workers that crash and overrun, over storage that falters: one effect a key", async () => {
  held.proxy.rules.add({
    match: {},
    probability: 0.05,
    seed: 11,
    fault: { kind: "lost-acknowledgement", answer: "reset" },
  });
  held.proxy.rules.add({ match: {}, probability: 0.05, seed: 12, fault: { kind: "busy" } });
  const keys = Array.from({ length: keyCount }, () => newId());
  await Promise.all(
    Array.from({ length: workerCount }, async (_, number) => {
      const worker: Worker = {
        commit: createGroupCommit(table),
        random: seededRandom(number + 1),
        late: [],
      };
      let open = keys.toSorted(() => worker.random() - 0.5);
      while (open.length > 0) {
        // Storage that does not answer is a crash too: nobody knows what it has done.
        const late = worker.late.splice(0);
        const turn = open.slice(0, 10);
        const done = await Promise.all(turn.map((key) => work(worker, key).catch(crash)));
        await Promise.all(late.map((finishing) => finishing().catch(crash)));
        // When others are at all that is left, time passes with waiting.
        if (!done.includes(true)) clock += leaseMs / 10;
        open = [...open.slice(10), ...turn.filter((_key, index) => done[index] !== true)];
      }
    }),
  );
  held.proxy.rules.clear();
  const rows = await Promise.all(keys.map((key) => findEffect(table, { tenantId, key })));
  expect(rows.filter((row) => row?.state === "done")).toHaveLength(keyCount);
  expect([...vendor.effects.values()].map((refs) => refs.length)).toEqual(keys.map(() => 1));
  expect(rows.map((row) => row?.sideEffectRef)).toEqual(keys.map((key) => vendor.effects.get(key)?.[0]));
  console.log(`effects ledger: ${keyCount} keys, ${workerCount} workers: ${JSON.stringify(seen)}`);
  const { fenced: _, ...sure } = seen;
  for (const count of Object.values(sure)) expect(count).toBeGreaterThan(0);
});
