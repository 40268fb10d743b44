import { setImmediate as nextTurn } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { createSettlementGate } from "../../../local/host/service-bus/settlement-gate.ts";

/** Starts settlements of the given kinds together and answers which of them began in the same turn. */
async function turnsOf(kinds: readonly ("complete" | "other")[]): Promise<number[]> {
  const gate = createSettlementGate();
  let turn = 0;
  const settled = Promise.all(kinds.map((kind) => gate(kind, () => Promise.resolve(turn))));
  const counted = new AbortController();
  void settled.finally(() => counted.abort());
  for (; !counted.signal.aborted; turn++) await nextTurn();
  return settled;
}

describe("the settlement gate", () => {
  test("lets completions go together", async () => {
    expect(new Set(await turnsOf(["complete", "complete", "complete"])).size).toBe(1);
  });

  test("keeps any other settlement in a turn of its own", async () => {
    const [first, second, third, fourth] = await turnsOf(["complete", "other", "other", "complete"]);
    expect(new Set([first, second, third, fourth]).size).toBe(4);
  });

  test("hands on the answer and the failure of each, and goes on after a failure", async () => {
    const gate = createSettlementGate();
    const failing = gate("other", () => Promise.reject(new Error("lock lost")));
    const next = gate("complete", () => Promise.resolve("settled"));
    await expect(failing).rejects.toThrow("lock lost");
    await expect(next).resolves.toBe("settled");
  });
});
