import { describe, expect, test } from "vitest";

import { allOf, type BatchMessage } from "../../../shared/work/all-of.ts";

interface Run {
  readonly handled: unknown[];
  readonly givenUp: BatchMessage[];
  readonly result: PromiseSettledResult<void>;
}

/** Handles a batch in which the messages called "bad" cannot be done. */
async function run(messages: unknown, metadata?: Record<string, unknown>): Promise<Run> {
  const handled: unknown[] = [];
  const givenUp: BatchMessage[] = [];
  const [result] = await Promise.allSettled([
    allOf(messages, metadata, {
      handle: async (message) => {
        if (message === "bad") throw new Error("cannot be done");
        handled.push(message);
      },
      giveUp: async (message) => void givenUp.push(message),
    }),
  ]);
  return { handled, givenUp, result };
}

const counts = (...deliveryCountArray: number[]): Record<string, unknown> => ({
  deliveryCountArray,
  messageIdArray: deliveryCountArray.map((_, index) => `m${index}`),
});

describe("a batch of messages", () => {
  test("is done whole, and comes back whole when one of them cannot be done", async () => {
    const { handled, result } = await run(["a", "bad", "b"], counts(1, 1, 1));
    expect(handled).toEqual(["a", "b"]);
    expect(result).toMatchObject({ status: "rejected", reason: { message: "cannot be done" } });
  });

  test("ERR-05: gives up the one that fails again and again, and keeps the others", async () => {
    const { handled, givenUp, result } = await run(["a", "bad", "b"], counts(8, 8, 8));
    expect(handled).toEqual(["a", "b"]);
    expect(givenUp).toEqual([{ message: "bad", messageId: "m1", deliveryCount: 8 }]);
    expect(result.status).toBe("fulfilled");
  });

  test("leaves it to the bus where the bus does not say which message it means", async () => {
    for (const metadata of [undefined, {}, counts(9, 9, 9), { deliveryCountArray: "9" }]) {
      const { givenUp, result } = await run(["a", "bad"], metadata);
      expect(givenUp).toEqual([]);
      expect(result.status).toBe("rejected");
    }
  });

  test("may be one message alone", async () => {
    expect((await run("a")).handled).toEqual(["a"]);
    expect((await run([])).result.status).toBe("fulfilled");
  });

  test("comes back when giving up fails too", async () => {
    const failing = allOf(["bad"], counts(10), {
      handle: () => Promise.reject(new Error("cannot be done")),
      giveUp: () => Promise.reject(new Error("storage is away")),
    });
    await expect(failing).rejects.toThrow("storage is away");
  });
});
