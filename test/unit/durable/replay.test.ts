import { describe, expect, test } from "vitest";

import { type Action, actionType } from "../../../local/host/durable/actions.ts";
import { Divergence, guardedReplay } from "../../../local/host/durable/divergence.ts";
import { NonDeterminism } from "../../../local/host/durable/decision.ts";
import { eventType, type HistoryEvent } from "../../../local/host/durable/history.ts";
import { replay } from "../../../local/host/durable/replay.ts";

const self = { instanceId: "i", executionId: "x" };
const day = 86_400_000;
const begun = Date.UTC(2026, 0, 1);
const at = (milliseconds: number): string => new Date(begun + milliseconds).toISOString();

const episode = (milliseconds: number): HistoryEvent => ({
  EventType: eventType.OrchestratorStarted,
  EventId: -1,
  Timestamp: at(milliseconds),
});
const started: HistoryEvent = {
  EventType: eventType.ExecutionStarted,
  EventId: -1,
  Timestamp: at(0),
  Name: "o",
  Input: null,
};
const scheduled = (id: number, name: string): HistoryEvent => ({
  EventType: eventType.TaskScheduled,
  EventId: id,
  Timestamp: at(0),
  Name: name,
  Input: null,
});
const completed = (id: number): HistoryEvent => ({
  EventType: eventType.TaskCompleted,
  EventId: -1,
  Timestamp: at(0),
  TaskScheduledId: id,
  Result: "1",
});
const timer = (id: number, milliseconds: number): HistoryEvent => ({
  EventType: eventType.TimerCreated,
  EventId: id,
  Timestamp: at(0),
  FireAt: at(milliseconds),
});
const fired = (id: number, milliseconds: number): HistoryEvent => ({
  EventType: eventType.TimerFired,
  EventId: -1,
  Timestamp: at(milliseconds),
  TimerId: id,
  FireAt: at(milliseconds),
});
const raised = (name: string): HistoryEvent => ({
  EventType: eventType.EventRaised,
  EventId: -1,
  Timestamp: at(0),
  Name: name,
  Input: "1",
});

const call = (functionName: string): Action => ({ actionType: actionType.CallActivity, functionName });
const sleep = (milliseconds: number, isCanceled = false): Action => ({
  actionType: actionType.CreateTimer,
  fireAt: at(milliseconds),
  isCanceled,
});
const wait = (externalEventName: string): Action => ({
  actionType: actionType.WaitForExternalEvent,
  externalEventName,
});
const any = (...compoundActions: Action[]): Action => ({ actionType: actionType.WhenAny, compoundActions });
const all = (...compoundActions: Action[]): Action => ({ actionType: actionType.WhenAll, compoundActions });

describe("a replay", () => {
  test("finds the first step new when nothing has happened yet", () => {
    const { decisions, finished } = replay([episode(0), started], [call("a"), call("b")], self);
    expect(decisions).toEqual([{ kind: "activity", id: 0, name: "a", input: null }]);
    expect(finished).toBe(false);
  });

  test("finds new only what the history does not hold", () => {
    const history = [episode(0), started, scheduled(0, "a"), episode(1), completed(0)];
    expect(replay(history, [call("a"), call("b")], self).decisions).toMatchObject([{ id: 1, name: "b" }]);
  });

  test("is finished when every action was issued and awaited", () => {
    const history = [episode(0), started, scheduled(0, "a"), episode(1), completed(0)];
    expect(replay(history, [call("a")], self)).toMatchObject({ decisions: [], finished: true });
  });

  test("numbers side-by-side steps from left to right, nested ones included", () => {
    const actions = [all(call("a"), any(call("b"), call("c")), call("d"))];
    const { decisions } = replay([episode(0), started], actions, self);
    expect(decisions.map((decision) => [decision.id, "name" in decision && decision.name])).toEqual([
      [0, "a"],
      [1, "b"],
      [2, "c"],
      [3, "d"],
    ]);
  });

  test("gives no number to waiting for events", () => {
    const { decisions } = replay([episode(0), started], [all(wait("e"), call("a"))], self);
    expect(decisions).toMatchObject([{ id: 0, name: "a" }]);
  });

  test("does not mistake a late answer for one that is awaited", () => {
    const history = [
      episode(0),
      started,
      scheduled(0, "a"),
      timer(1, 5),
      episode(5),
      fired(1, 5),
      completed(0),
    ];
    const { decisions } = replay(history, [any(call("a"), sleep(5)), call("b")], self);
    expect(decisions).toMatchObject([{ id: 2, name: "b" }]);
  });

  test("gives an event to the one that began to wait last, not to one that a race left behind", () => {
    const history = [
      episode(0),
      started,
      timer(0, 5),
      episode(5),
      fired(0, 5),
      timer(1, 9),
      episode(6),
      raised("e"),
    ];
    const actions = [any(wait("e"), sleep(5)), any(wait("e"), sleep(9)), call("a")];
    expect(replay(history, actions, self).decisions).toMatchObject([{ id: 2, name: "a" }]);
  });

  test("contradicted by the history says where", () => {
    const history = [episode(0), started, scheduled(0, "a"), episode(1), completed(0)];
    expect(() => replay(history, [call("b")], self)).toThrow(NonDeterminism);
    expect(() => replay(history, [], self)).toThrow("gives no such step");
  });
});

describe("a long timer in a replay", () => {
  test("begins its next leg when one has fired", () => {
    const history = [episode(0), started, timer(0, 3 * day), episode(3 * day), fired(0, 3 * day)];
    const { decisions } = replay(history, [sleep(8 * day), call("a")], self);
    expect(decisions).toEqual([{ kind: "timer", id: 1, fireAt: begun + 6 * day }]);
  });

  test("is over with the leg that fired late, after its own time", () => {
    const history = [episode(0), started, timer(0, 3 * day), episode(20 * day), fired(0, 3 * day)];
    const { decisions } = replay(history, [sleep(8 * day), call("a")], self);
    expect(decisions).toMatchObject([{ kind: "activity", id: 1, name: "a" }]);
  });
});

describe("a guarded replay", () => {
  test("carries on events that came after continueAsNew", () => {
    const renew: Action = { actionType: actionType.ContinueAsNew, input: {} };
    const history = [episode(0), started, raised("e"), raised("e"), raised("f")];
    const { carried, continueAsNew } = guardedReplay(history, [wait("e"), renew], self);
    expect(continueAsNew).toEqual({ input: "{}" });
    expect(carried.map(({ Name }) => Name)).toEqual(["e", "f"]);
  });

  test("carries on an event that nobody had waited for when a cancelled timer brought continueAsNew forward", () => {
    const renew: Action = { actionType: actionType.ContinueAsNew, input: {} };
    const history = [
      episode(0),
      started,
      scheduled(0, "a"),
      timer(1, 5),
      episode(1),
      raised("e"),
      completed(0),
    ];
    const { carried } = guardedReplay(history, [any(call("a"), sleep(5, true)), renew], self);
    expect(carried.map(({ Name }) => Name)).toEqual(["e"]);
  });

  test("refuses to carry on an event that was dealt with", () => {
    const renew: Action = { actionType: actionType.ContinueAsNew, input: {} };
    const history = [episode(0), started, timer(0, 5), episode(1), raised("e")];
    expect(() => guardedReplay(history, [any(wait("e"), sleep(5, true)), renew], self)).toThrow(Divergence);
    expect(guardedReplay(history, [any(wait("e"), sleep(5)), renew], self).carried).toEqual([]);
  });
});
