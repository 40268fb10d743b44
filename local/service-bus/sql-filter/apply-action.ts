import type { AmqpValue } from "../codec/decode.ts";
import type { MessageContent } from "../codec/message-content.ts";
import { evaluate } from "./evaluate.ts";
import type { Statement } from "./syntax.ts";

/** Runs the statements of a rule's action in order; each sees what the ones before it changed. */
export const applyAction = (statements: readonly Statement[], message: MessageContent): MessageContent =>
  statements.reduce(applyStatement, message);

function applyStatement(message: MessageContent, statement: Statement): MessageContent {
  const value = statement.kind === "set" ? evaluate(statement.value, message) : undefined;
  const { property } = statement;
  if (property.kind === "system") return message.withProperty(property.name, value ?? null);
  const changes = new Map<string, AmqpValue | undefined>();
  const wanted = property.name.toLowerCase();
  for (const name of message.applicationProperties().keys()) {
    if (name.toLowerCase() === wanted) changes.set(name, undefined);
  }
  if (statement.kind === "set") changes.set(property.name, value);
  return message.withApplicationProperties(changes);
}
