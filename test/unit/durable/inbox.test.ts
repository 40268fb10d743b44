import { describe, expect, test } from "vitest";

import { apply } from "../../../local/host/durable/apply-change.ts";
import { executionStarted } from "../../../local/host/durable/consequences.ts";
import { eventType, type IncomingEvent } from "../../../local/host/durable/history.ts";
import { latest, takeMessages } from "../../../local/host/durable/inbox.ts";
import type { Change, Instance, Orchestration } from "../../../local/host/durable/instance.ts";
import { change } from "../../support/hub-changes.ts";

const stamp = { EventId: -1, Timestamp: "2026-01-01T00:00:00.000Z" };
const suspend: IncomingEvent = { EventType: eventType.ExecutionSuspended, ...stamp, Reason: "r" };
const resume: IncomingEvent = { EventType: eventType.ExecutionResumed, ...stamp, Reason: "r" };
const terminate: IncomingEvent = { EventType: eventType.ExecutionTerminated, ...stamp, Reason: "first" };

/** An instance that was started and has been told all that since, without having had a turn. */
function told(...events: IncomingEvent[]): Orchestration {
  const instances = new Map<string, Instance>();
  apply(instances, change.create("i"));
  for (const event of events) apply(instances, { do: "post", id: "i", event, executionId: null });
  return instances.get("i") as Orchestration;
}

describe("an orchestration's inbox", () => {
  test("gives all there is to one episode", () => {
    expect(takeMessages(told())).toMatchObject({ took: [0], suspended: false, terminated: undefined });
  });

  test("holds everything else back from one that was suspended before it began", () => {
    expect(takeMessages(told(suspend))).toMatchObject({ took: [1], suspended: true });
  });

  test("gives all there is to one that was suspended and resumed before it began", () => {
    expect(takeMessages(told(suspend, resume))).toMatchObject({ took: [0, 1, 2], suspended: false });
  });

  test("lets termination win over everything, and the first reason over the others", () => {
    const second: IncomingEvent = { ...terminate, Reason: "second" };
    const turn = takeMessages(told(suspend, terminate, second));
    expect(turn).toMatchObject({ took: [0, 1, 2, 3], terminated: "first" });
  });

  test("is as late as the latest of its messages, a timer not being earlier than it was set for", () => {
    const fired: IncomingEvent = {
      EventType: eventType.TimerFired,
      EventId: -1,
      Timestamp: "2026-01-01T00:00:00.999Z",
      TimerId: 0,
      FireAt: "2026-01-01T00:00:01.000Z",
    };
    expect(new Date(latest([resume, fired, suspend])).toISOString()).toBe(fired.FireAt);
  });

  test("keeps what anyone may hear and drops what was for an earlier generation when a new one begins", () => {
    const instances = new Map<string, Instance>();
    apply(instances, change.create("i"));
    apply(instances, change.raise("i", "1"));
    const event: IncomingEvent = {
      EventType: eventType.TaskCompleted,
      ...stamp,
      TaskScheduledId: 0,
      Result: "1",
    };
    apply(instances, { do: "post", id: "i", event, executionId: "execution of i" });
    const started = executionStarted("fixture", "2", null, stamp.Timestamp);
    apply(instances, {
      ...(change.episode("i", "Running") as Extract<Change, { do: "episode" }>),
      renew: { executionId: "the next", started, carried: [] },
    });
    const types = instances.get("i")?.inbox.map((message) => "event" in message && message.event.EventType);
    expect(types).toEqual([eventType.ExecutionStarted, eventType.EventRaised]);
  });

  test("has nothing to give when all it holds waits to be resumed", () => {
    expect(takeMessages({ ...told(), status: "Suspended" })).toBeUndefined();
  });
});
