import { executionStarted } from "../../local/host/durable/consequences.ts";
import { eventType, type RuntimeStatus } from "../../local/host/durable/history.ts";
import type { Change } from "../../local/host/durable/instance.ts";

const at = Date.UTC(2026, 0, 1);

/** Changes of a task hub as the engine makes them, for tests of the hub alone. */
export const change = {
  create(id: string, input = "null", created = at): Change {
    const started = executionStarted("fixture", input, null, new Date(created).toISOString());
    return { do: "create", id, executionId: `execution of ${id}`, started, parent: null, at: created };
  },

  /** The first episode, which takes the message that started the instance. */
  episode(
    id: string,
    status: RuntimeStatus,
    output: string | null = null,
    took: readonly number[] = [0],
  ): Change {
    const executionId = `execution of ${id}`;
    return { do: "episode", id, executionId, took, at, events: [], status, output };
  },

  raise(id: string, input: string): Change {
    const event = {
      EventType: eventType.EventRaised,
      EventId: -1,
      Timestamp: new Date(at).toISOString(),
      Name: "event",
      Input: input,
    };
    return { do: "post", id, event, executionId: null };
  },

  ask(id: string, op: string): Change {
    return {
      do: "ask",
      id,
      at,
      request: { kind: "op", op, input: null, signal: true, id: op, parent: null, parentExecution: null },
    };
  },

  entity(id: string, took: readonly number[], state: string | null): Change {
    return { do: "entity", id, took, at, exists: state !== null, state, lockedBy: null };
  },

  purge(id: string): Change {
    return { do: "purge", id };
  },
};

/** Every step from the start of an instance to its end. */
export function finished(id: string, output: string): Change[] {
  return [change.create(id), change.episode(id, "Completed", output)];
}
