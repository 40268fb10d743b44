import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import * as fc from "fast-check";
import { expect, test } from "vitest";

import { isFinished } from "../../../local/host/durable/history.ts";
import { TaskHub } from "../../../local/host/durable/hub.ts";
import type { Change, Instance } from "../../../local/host/durable/instance.ts";
import { change } from "../../support/hub-changes.ts";

type Step =
  | { readonly kind: "start" | "raise" | "turn" | "finish" | "purge"; readonly id: string }
  | { readonly kind: "ask" | "operate" | "remove"; readonly id: string }
  | { readonly kind: "reopen" };

const orchestration = fc.constantFrom("a", "b", "c", "d", "e");
const entity = fc.constantFrom("@counter@x", "@counter@y");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom("start", "raise", "turn", "finish", "purge"),
      id: orchestration,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("ask", "operate", "remove"), id: entity }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "reopen" }) },
);

/** What the engine would commit for it, given how the instance stands; nothing when it would not. */
function changesFor(
  each: Exclude<Step, { kind: "reopen" }>,
  found: Instance | undefined,
  n: number,
): Change[] {
  const took = found?.inbox.map((message) => message.n) ?? [];
  const payload = JSON.stringify(`${n} ${"x".repeat(60)}`);
  const runs = found?.kind === "orchestration" && !isFinished(found.status);
  switch (each.kind) {
    case "start":
      return runs ? [] : [change.create(each.id, payload, n)];
    case "raise":
      return runs ? [change.raise(each.id, payload)] : [];
    case "turn":
      return runs ? [change.episode(each.id, "Running", null, took)] : [];
    case "finish":
      return runs ? [change.episode(each.id, n % 2 ? "Failed" : "Completed", payload, took)] : [];
    case "purge":
      return found === undefined || runs ? [] : [change.purge(each.id)];
    case "ask":
      return [change.ask(each.id, `${n}`), ...(n % 3 ? [] : [change.ask(each.id, `${n} again`)])];
    default:
      return took.length === 0 ? [] : [change.entity(each.id, took, each.kind === "remove" ? null : payload)];
  }
}

test("a hub on disk, rotated and reopened at any point, holds what one in memory holds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const dir = mkdtempSync(join(tmpdir(), "hub-model-"));
      const options = { rotateAtBytes: 900, durability: "process" } as const;
      const model = await TaskHub.open(undefined);
      let hub = await TaskHub.open(dir, options);
      try {
        for (const [n, each] of steps.entries()) {
          if (each.kind === "reopen") {
            await hub.close();
            hub = await TaskHub.open(dir, options);
          } else {
            const changes = changesFor(each, model.get(each.id), n);
            if (changes.length === 0) continue;
            // A model must not share its data with what it is a model of.
            await Promise.all([hub.commit(structuredClone(changes)), model.commit(changes)]);
          }
          expect(hub.list({}, 100)).toEqual(model.list({}, 100));
        }
        await hub.close();
        hub = await TaskHub.open(dir, options);
        expect(hub.list({}, 100)).toEqual(model.list({}, 100));
      } finally {
        await hub.close();
        rmSync(dir, { recursive: true });
      }
    }),
    { numRuns: 120 },
  );
}, 60_000);
