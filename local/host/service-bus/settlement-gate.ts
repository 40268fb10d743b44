import { setImmediate as nextTurn } from "node:timers/promises";

export type SettlementGate = <T>(kind: "complete" | "other", settle: () => Promise<T>) => Promise<T>;

/**
 * Keeps settlements with different outcomes out of the same turn of the event loop: the client library sends
 * two neighbouring ones as a single range with the outcome of the first, so that a message abandoned beside a
 * completed one would be completed too. Completions may go together; anything else goes alone. One per receiver.
 */
export function createSettlementGate(): SettlementGate {
  let tail: Promise<unknown> = Promise.resolve();
  return async (kind, settle) => {
    const started = tail.then(async () => {
      if (kind === "other") await nextTurn();
      const done = settle();
      // It may fail before anybody has had a chance to look.
      done.catch(() => {});
      if (kind === "other") await nextTurn();
      return { done };
    });
    tail = started.catch(() => {});
    return (await started).done;
  };
}
