import type { HostedFunction } from "../functions.ts";
import type { Invoker } from "../invoker.ts";
import { messageOf } from "../../start-error.ts";
import { eventType } from "./history.ts";
import type { Change, Entity, EntityMessage, EntityRequest } from "./instance.ts";

export interface EntityContext {
  readonly invoker: Invoker;
  now(): number;
  entityFunction(name: string): HostedFunction | undefined;
  /** Whether the orchestration that asks is still the one that asked. */
  isRunning(instanceId: string, executionId: string): boolean;
}

type Op = Extract<EntityRequest, { kind: "op" }>;

interface EntityState {
  readonly entityExists: boolean;
  readonly entityState?: string | null;
  readonly results: readonly { readonly isError: boolean; readonly result?: string }[];
  readonly signals: readonly {
    readonly target: { readonly name: string; readonly key: string };
    readonly name: string;
    readonly input: string;
  }[];
}

/** Messages an entity may deal with now: under a lock only those of the holder, and of them the first. */
export function heardMessages({ inbox, lockedBy }: Entity): EntityMessage[] {
  if (lockedBy === null) return inbox;
  return inbox.filter(({ request }) => request.kind !== "lock" && request.parent === lockedBy);
}

/**
 * One turn of an entity: a batch of operations, or the lock request or release that stands first. An entity does
 * one thing at a time, so its turns are what makes it consistent.
 */
export async function runEntityTurn(entity: Entity, context: EntityContext): Promise<Change[]> {
  const heard = heardMessages(entity);
  const first = heard[0];
  if (first === undefined) return [];
  const { request } = first;
  if (request.kind === "release") {
    const lockedBy = entity.lockedBy === request.parent ? null : entity.lockedBy;
    return [standing(entity, context, [first], { lockedBy })];
  }
  if (request.kind === "lock") return takeLock(entity, first, request, context);
  const end = heard.findIndex((message) => message.request.kind !== "op");
  return operate(entity, heard.slice(0, end === -1 ? heard.length : end), context);
}

/** A lock on several entities is passed from one to the next, always in the same order; the last one answers. */
function takeLock(
  entity: Entity,
  message: EntityMessage,
  request: Extract<EntityRequest, { kind: "lock" }>,
  context: EntityContext,
): Change[] {
  const { parent, parentExecution, lockset, pos, id } = request;
  const at = context.now();
  // Whoever asked is gone, and gave back all it had asked for as it went: its id may be another's by now.
  if (!context.isRunning(parent, parentExecution)) return [standing(entity, context, [message], {})];
  const next = lockset[pos + 1];
  const locked = standing(entity, context, [message], { lockedBy: parent });
  if (next !== undefined) return [locked, { do: "ask", id: next, request: { ...request, pos: pos + 1 }, at }];
  return [locked, answer(parent, parentExecution, id, { result: null }, at)];
}

async function operate(entity: Entity, messages: EntityMessage[], context: EntityContext): Promise<Change[]> {
  const ops = messages.map(({ request }) => request as Op);
  const [, name = "", key = ""] = /^@([^@]*)@(.*)$/s.exec(entity.id) ?? [];
  const fn = context.entityFunction(name);
  if (fn === undefined) {
    const error = `The entity function '${name}' doesn't exist or is disabled.`;
    return [standing(entity, context, messages, {}), ...failAll(ops, error, context.now())];
  }
  const trigger = {
    self: { name, key },
    exists: entity.exists,
    state: entity.state,
    batch: ops.map(({ op, input, signal, id }) => ({ name: op, input, isSignal: signal, id })),
  };
  const called = await context.invoker.invoke(fn, {
    reason: "(null)",
    data: { string: JSON.stringify(trigger) },
  });
  if (called.kind === "failed") {
    const error = messageOf(called.error);
    return [standing(entity, context, messages, {}), ...failAll(ops, error, context.now())];
  }
  const state = JSON.parse(called.response.returnValue?.json ?? "{}") as EntityState;
  const at = context.now();
  return [
    standing(entity, context, messages, { exists: state.entityExists, state: state.entityState ?? null }),
    ...ops.flatMap((op, index) => {
      const result = state.results[index];
      const body = { result: result?.result ?? null, ...(result?.isError && { exceptionType: "Error" }) };
      return op.signal || op.parent === null ? [] : [answer(op.parent, op.parentExecution, op.id, body, at)];
    }),
    ...state.signals.map((signal): Change => ({
      do: "ask",
      id: `@${signal.target.name.toLowerCase()}@${signal.target.key}`,
      request: {
        kind: "op",
        op: signal.name,
        input: signal.input === "" ? null : signal.input,
        signal: true,
        id: "",
        parent: null,
        parentExecution: null,
      },
      at,
    })),
  ];
}

function failAll(ops: readonly Op[], error: string, at: number): Change[] {
  const body = { result: JSON.stringify(error), exceptionType: "Error" };
  return ops.flatMap(({ parent, parentExecution, id, signal }) =>
    signal || parent === null ? [] : [answer(parent, parentExecution, id, body, at)],
  );
}

function standing(
  entity: Entity,
  context: EntityContext,
  messages: readonly EntityMessage[],
  changed: Partial<Pick<Entity, "exists" | "state" | "lockedBy">>,
): Change {
  const { exists, state, lockedBy } = { ...entity, ...changed };
  return {
    do: "entity",
    id: entity.id,
    took: messages.map(({ n }) => n),
    at: context.now(),
    exists,
    state,
    lockedBy,
  };
}

function answer(parent: string, executionId: string | null, id: string, body: object, at: number): Change {
  const event = {
    EventType: eventType.EventRaised,
    EventId: -1,
    Timestamp: new Date(at).toISOString(),
    Name: id,
    Input: JSON.stringify(body),
  };
  return { do: "post", id: parent, event, executionId };
}
