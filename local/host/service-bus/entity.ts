import type { HostedFunction } from "../functions.ts";
import { StartError } from "../../start-error.ts";
import type { Binding } from "../worker/app-registry.ts";

/** What a binding receives from or sends to. */
export type Entity =
  | { readonly kind: "queue"; readonly queue: string }
  | { readonly kind: "topic"; readonly topic: string }
  | { readonly kind: "subscription"; readonly topic: string; readonly subscription: string };

export function sourceOf(fn: HostedFunction): Exclude<Entity, { kind: "topic" }> {
  const { queueName: queue, topicName: topic, subscriptionName: subscription } = fn.trigger;
  if (isName(queue)) return { kind: "queue", queue };
  if (isName(topic) && isName(subscription)) return { kind: "subscription", topic, subscription };
  throw new StartError(
    `Function '${fn.name}': a Service Bus trigger names a queueName, or a topicName and a subscriptionName`,
  );
}

export function destinationOf(functionName: string, binding: Binding): string {
  const { queueName, topicName } = binding;
  if (isName(queueName)) return queueName;
  if (isName(topicName)) return topicName;
  throw new StartError(`Function '${functionName}': a Service Bus output names a queueName or a topicName`);
}

/** In the words of a log line. */
export function nameOf(entity: Entity): string {
  if (entity.kind === "queue") return `queue '${entity.queue}'`;
  if (entity.kind === "topic") return `topic '${entity.topic}'`;
  return `subscription '${entity.subscription}' of topic '${entity.topic}'`;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
