import { randomUUID } from "node:crypto";

import type { HostedFunction } from "../functions.ts";
import type { Decision } from "./decision.ts";
import { eventType, type ExecutionStarted, type ScheduledEvent } from "./history.ts";
import { idProblem } from "./instance-id.ts";
import type { Change, EntityRequest, Orchestration } from "./instance.ts";
import { httpActivity } from "./replay.ts";

/** What decisions are checked against and carried out with. */
export interface DecisionContext {
  /** What children get that are asked for without a version, as instances that clients start do. */
  readonly defaultVersion: string | undefined;
  now(): number;
  activity(name: string): HostedFunction | undefined;
  orchestrator(name: string): HostedFunction | undefined;
  knownNames(kind: "activity" | "orchestrator"): readonly string[];
}

/** What the decisions mean outside of the instance itself: children to start, entities to speak to. */
export function consequences(
  instance: Orchestration,
  decisions: readonly Decision[],
  context: DecisionContext,
  at: string,
): Change[] {
  return decisions.flatMap((decision): Change[] => {
    if (decision.kind === "child") return [startChild(instance, decision, context, at)];
    if (decision.kind !== "send") return [];
    const body = JSON.parse(decision.input) as object;
    const request = { ...body, kind: decision.name } as EntityRequest;
    return [{ do: "ask", id: decision.target, request, at: context.now() }];
  });
}

function startChild(
  instance: Orchestration,
  child: Extract<Decision, { kind: "child" }>,
  context: DecisionContext,
  at: string,
): Change {
  const parent = { instanceId: instance.id, executionId: instance.executionId, taskId: child.id };
  return {
    do: "create",
    id: child.instanceId,
    executionId: newExecutionId(),
    started: executionStarted(child.name, child.input, child.version ?? context.defaultVersion ?? null, at),
    parent,
    at: context.now(),
  };
}

export function scheduledEvent(decision: Decision, at: string): ScheduledEvent {
  const common = { EventId: decision.id, Timestamp: at };
  switch (decision.kind) {
    case "activity":
      return { EventType: eventType.TaskScheduled, ...common, Name: decision.name, Input: decision.input };
    case "timer":
      return {
        EventType: eventType.TimerCreated,
        ...common,
        FireAt: new Date(decision.fireAt).toISOString(),
      };
    case "child":
      return {
        EventType: eventType.SubOrchestrationInstanceCreated,
        ...common,
        Name: decision.name,
        InstanceId: decision.instanceId,
        Input: decision.input,
      };
    default:
      return {
        EventType: eventType.EventSent,
        ...common,
        InstanceId: decision.target,
        Name: decision.name,
        Input: decision.input,
      };
  }
}

export function executionStarted(
  name: string,
  input: string | null,
  version: string | null,
  at: string,
): ExecutionStarted {
  const started = {
    EventType: eventType.ExecutionStarted,
    EventId: -1,
    Timestamp: at,
    Name: name,
    Input: input,
  };
  return version === null ? started : { ...started, Version: version };
}

export function newExecutionId(): string {
  return randomUUID().replaceAll("-", "");
}

/** Names that do not exist and ids that cannot be: neither can be caught, as on the platform. */
export function checkNames(decisions: readonly Decision[], context: DecisionContext): void {
  for (const decision of decisions) {
    if (decision.kind === "activity" && decision.name !== httpActivity) {
      if (context.activity(decision.name) === undefined) throw missing("activity", decision.name, context);
    } else if (decision.kind === "child") {
      if (context.orchestrator(decision.name) === undefined)
        throw missing("orchestrator", decision.name, context);
      const problem = idProblem(decision.instanceId);
      if (problem !== undefined) throw new Error(problem);
    }
  }
}

export function missing(
  kind: "activity" | "orchestrator",
  name: string,
  context: Pick<DecisionContext, "knownNames">,
): Error {
  const known = context.knownNames(kind).map((other) => `'${other}'`);
  return new Error(
    `The function '${name}' doesn't exist, is disabled, or is not an ${kind} function. ` +
      (known.length === 0
        ? `The app has no ${kind} functions.`
        : `Known ${kind} functions: ${known.join(", ")}.`),
  );
}
