import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";

import { DurableHost } from "../../support/durable-host.ts";

type Task =
  | { readonly kind: "activity"; readonly value: unknown }
  | { readonly kind: "failing" }
  | { readonly kind: "timer"; readonly milliseconds: number }
  | { readonly kind: "event"; readonly name: string }
  | { readonly kind: "entity" }
  | { readonly kind: "child"; readonly program: readonly Step[] };

type Step =
  | Task
  | { readonly kind: "race"; readonly work: Task; readonly milliseconds: number }
  | { readonly kind: "all"; readonly of: readonly Task[] }
  | { readonly kind: "first"; readonly of: readonly Task[] }
  | { readonly kind: "signal" };

const hour = 3_600_000;
const milliseconds = fc.integer({ min: 1, max: 40 * hour });
const simple: fc.Arbitrary<Task> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("activity"), value: fc.jsonValue({ maxDepth: 1 }) }),
  },
  { weight: 2, arbitrary: fc.constant<Task>({ kind: "failing" }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("timer"), milliseconds }) },
  { weight: 2, arbitrary: fc.constant<Task>({ kind: "event", name: "" }) },
  { weight: 1, arbitrary: fc.constant<Task>({ kind: "entity" }) },
);
const several = fc.array(simple, { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: simple },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("race"), work: simple, milliseconds }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("all"), of: several }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("first"), of: several }) },
  { weight: 1, arbitrary: fc.constant<Step>({ kind: "signal" }) },
);
const child = fc.record({
  kind: fc.constant("child"),
  program: fc.array(step, { maxLength: 3 }).map((steps) => withEventNames(steps, "never")),
});
const program = fc
  .array(fc.oneof({ weight: 6, arbitrary: step }, { weight: 1, arbitrary: child }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((steps) => withEventNames(steps as Step[], "event"));

/** Events have names of their own, so that the ones a race left behind take nothing from others. */
function withEventNames(steps: readonly Step[], prefix: string): Step[] {
  let count = 0;
  const named = (task: Task): Task => {
    if (task.kind !== "event") return task;
    // Nobody raises events to children: there, a timer takes the place.
    if (prefix === "never") return { kind: "timer", milliseconds: 5 };
    count += 1;
    return { kind: "event", name: `${prefix}-${count}` };
  };
  return steps.map((each): Step => {
    if (each.kind === "race") return { ...each, work: named(each.work) };
    if (each.kind === "all" || each.kind === "first") return { ...each, of: each.of.map(named) };
    return each.kind === "signal" ? each : named(each);
  });
}

function eventNames(steps: readonly Step[]): string[] {
  const nameOf = (task: Task): string[] => (task.kind === "event" ? [task.name] : []);
  return steps.flatMap((each) => {
    if (each.kind === "race") return nameOf(each.work);
    if (each.kind === "all" || each.kind === "first") return each.of.flatMap(nameOf);
    return each.kind === "signal" ? [] : nameOf(each);
  });
}

let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterAll(() => app.stop());

test("whatever orchestrators do without retries side by side completes and is never refused", async () => {
  const moments = fc.infiniteStream(fc.integer({ min: 0, max: 20 * hour }));
  await fc.assert(
    fc.asyncProperty(program, moments, async (steps, waits) => {
      const id = await app.start("random-program", steps);
      for (const name of eventNames(steps)) {
        await app.host.advance(waits.next().value as number);
        await app.raise(id, name, name);
      }
      await app.host.advance(16 * 24 * hour);
      const status = await app.finished(id);
      expect(status).toMatchObject({ runtimeStatus: "Completed" });
      expect(status.output).toHaveLength(steps.length);
    }),
    { numRuns: 200 },
  );
}, 60_000);
