import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { scheduledEvent } from "../../../local/host/durable/consequences.ts";
import { guardedReplay } from "../../../local/host/durable/divergence.ts";
import { eventType, type HistoryEvent, type ScheduledEvent } from "../../../local/host/durable/history.ts";
import type { Orchestration } from "../../../local/host/durable/instance.ts";
import { DurableHost } from "../../support/durable-host.ts";
import { orchestratorCaller } from "../../support/orchestrator-caller.ts";

const folder = fileURLToPath(new URL("../../fixtures/histories", import.meta.url));
const records = process.env["RECORD_HISTORIES"] !== undefined;

interface Episode {
  /** All that was known when it began, its own news included. */
  readonly history: readonly HistoryEvent[];
  readonly newFrom: number;
  readonly scheduled: readonly ScheduledEvent[];
  readonly result: string | null | undefined;
}

function isScheduled(event: HistoryEvent): event is ScheduledEvent {
  return (
    event.EventType === eventType.TaskScheduled ||
    event.EventType === eventType.TimerCreated ||
    event.EventType === eventType.SubOrchestrationInstanceCreated ||
    event.EventType === eventType.EventSent
  );
}

function episodesOf(history: readonly HistoryEvent[]): Episode[] {
  const starts = history.flatMap((event, at) =>
    event.EventType === eventType.OrchestratorStarted ? [at] : [],
  );
  return starts.map((newFrom, index) => {
    const own = history.slice(newFrom, starts[index + 1]);
    const scheduled = own.filter(isScheduled);
    const end = own.find((event) => event.EventType === eventType.ExecutionCompleted);
    const news = own.filter(
      (event) =>
        !isScheduled(event) &&
        event.EventType !== eventType.ExecutionCompleted &&
        event.EventType !== eventType.OrchestratorCompleted,
    );
    return { history: [...history.slice(0, newFrom), ...news], newFrom, scheduled, result: end?.Result };
  });
}

/** Where an error came from is of this machine alone. */
function placeless(key: string, value: unknown): unknown {
  if (key === "StackTrace") return null;
  return key === "Details" ? JSON.stringify(JSON.parse(String(value)), placeless) : value;
}

describe.runIf(records)("recording histories", () => {
  let app: DurableHost;

  beforeAll(async () => {
    app = await DurableHost.open();
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => app.stop());

  /** Answers with the number of events. */
  function keep(name: string, id: string): number {
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(app.orchestration(id), placeless, 2)}\n`);
    return app.history(id).length;
  }

  test("of a mixed orchestration, of retries and of entities", async () => {
    const mixed = await app.start("recorded-mixed", null, "recorded-mixed");
    await app.host.idle();
    await app.raise(mixed, "approval", { by: "Ada" });
    await app.host.advance(9 * 86_400_000);
    expect(keep("mixed", mixed)).toBeGreaterThan(1);
    const late = await app.start("recorded-mixed", null, "recorded-mixed-late");
    await app.host.advance(9 * 86_400_000);
    expect(keep("mixed-late", late)).toBeGreaterThan(1);
    const retry = await app.start("recorded-retry", null, "recorded-retry");
    await app.host.advance(86_400_000);
    expect(keep("retry", retry)).toBeGreaterThan(1);
    const entities = await app.start("recorded-entities", null, "recorded-entities");
    await app.finished(entities);
    expect(keep("entities", entities)).toBeGreaterThan(1);
  });

  test("of generations, while they run and at their end", async () => {
    const id = await app.start("recorded-generations", { generation: 1 }, "recorded-generations");
    await app.host.idle();
    expect(keep("generation-first", id)).toBeGreaterThan(1);
    for (const word of ["one", "two", "three"]) {
      await app.raise(id, "say", word);
      await app.host.idle();
    }
    expect(keep("generation-last", id)).toBeGreaterThan(1);
  });
});

describe.skipIf(records)("an instance that an earlier version of the host had under way", () => {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .toSorted();

  test("is kept in several forms", () => {
    expect(files.map((name) => basename(name, ".json"))).toEqual([
      "entities",
      "generation-first",
      "generation-last",
      "mixed-late",
      "mixed",
      "retry",
    ]);
  });

  test.each(files)("decides at every episode what it decided then (%s)", async (file) => {
    const call = await orchestratorCaller("durable");
    const instance = JSON.parse(readFileSync(join(folder, file), "utf8")) as Orchestration;
    const self = { instanceId: instance.id, executionId: instance.executionId };
    const episodes = episodesOf(instance.history);
    expect(episodes.length).toBeGreaterThan(1);
    for (const { history, newFrom, scheduled, result } of episodes) {
      const state = await call(structuredClone(instance), history, newFrom);
      const outcome = guardedReplay(history, state.actions.flat(), self);
      const at = scheduled[0]?.Timestamp ?? "";
      expect(outcome.decisions.map((decision) => scheduledEvent(decision, at))).toEqual(scheduled);
      expect(state.isDone && outcome.finished).toBe(result !== undefined);
      expect(result === undefined ? undefined : JSON.stringify(state.output)).toBe(result);
    }
  });
});
