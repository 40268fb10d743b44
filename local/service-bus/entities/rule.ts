import type { AmqpValue } from "../codec/decode.ts";
import { textOf, type MessageContent } from "../codec/message-content.ts";
import { invalidArgument } from "../errors.ts";
import { applyAction } from "../sql-filter/apply-action.ts";
import { holds } from "../sql-filter/evaluate.ts";
import { SqlSyntaxError } from "../sql-filter/lexer.ts";
import { parseAction, parseFilter } from "../sql-filter/parser.ts";
import {
  correlationFields,
  type CorrelationFilter,
  type CorrelationValue,
  type RuleDescription,
  type RuleFilter,
} from "./settings.ts";

/** A rule ready to be applied. */
export interface Rule {
  readonly description: RuleDescription;
  matches(message: MessageContent): boolean;
  readonly act: ((message: MessageContent) => MessageContent) | undefined;
}

/** Compiles a rule; a filter or action that makes no sense is refused now, not when a message comes. */
export function compileRule(description: RuleDescription): Rule {
  try {
    const { filter, action } = description;
    const statements = action === undefined ? undefined : parseAction(action);
    return {
      description,
      matches: compileFilter(filter),
      act: statements && ((message) => applyAction(statements, message)),
    };
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    throw invalidArgument(`The rule '${description.name}' is not valid: ${error.message}`);
  }
}

/** The copies a subscription gets: one for all rules without action together, one for each rule with an action. */
export function copiesFor(rules: Iterable<Rule>, message: MessageContent): readonly MessageContent[] {
  const copies: MessageContent[] = [];
  let plain = false;
  for (const rule of rules) {
    if (!rule.matches(message)) continue;
    if (rule.act) copies.push(rule.act(message));
    else plain = true;
  }
  return plain ? [message, ...copies] : copies;
}

function compileFilter(filter: RuleFilter): Rule["matches"] {
  switch (filter.kind) {
    case "true":
      return () => true;
    case "false":
      return () => false;
    case "sql": {
      const expression = parseFilter(filter.expression);
      return (message) => holds(expression, message) === true;
    }
    default:
      return (message) => correlates(filter, message);
  }
}

function correlates(filter: CorrelationFilter, message: MessageContent): boolean {
  for (const field of correlationFields) {
    const wanted = filter.fields[field];
    if (wanted !== undefined && textOf(message.property(field)) !== wanted) return false;
  }
  const wanted = Object.entries(filter.properties);
  if (wanted.length === 0) return true;
  const properties = message.applicationProperties();
  return wanted.every(([name, value]) => isSame(value, properties.get(name)));
}

function isSame(wanted: CorrelationValue, actual: AmqpValue | undefined): boolean {
  if (wanted instanceof Date) return actual instanceof Date && actual.getTime() === wanted.getTime();
  return actual === wanted || (typeof actual === "bigint" && actual === BigInt(Number(wanted)));
}
