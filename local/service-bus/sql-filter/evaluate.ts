import { randomUUID } from "node:crypto";

import type { AmqpValue } from "../codec/decode.ts";
import type { MessageContent } from "../codec/message-content.ts";
import { likeMatches } from "./like.ts";
import type { Comparison, Expression, Operator, PropertyReference, SqlValue } from "./syntax.ts";

/** Raised while a rule is applied, never while it is created: it depends on the message. */
export class SqlEvaluationError extends Error {
  override readonly name = "SqlEvaluationError";
}

/** True, false, or null for unknown: a comparison with a missing property is neither true nor false. */
export function holds(expression: Expression, message: MessageContent): boolean | null {
  const value = evaluate(expression, message);
  return typeof value === "boolean" ? value : null;
}

export function evaluate(expression: Expression, message: MessageContent): SqlValue {
  switch (expression.kind) {
    case "constant":
      return expression.value;
    case "property":
      return propertyValue(expression.property, message) ?? null;
    case "newid":
      return randomUUID();
    case "not":
      return not(holds(expression.operand, message));
    case "negate":
      return arithmetic("-", 0, evaluate(expression.operand, message));
    case "and":
      return and(holds(expression.left, message), () => holds(expression.right, message));
    case "or":
      return not(and(not(holds(expression.left, message)), () => not(holds(expression.right, message))));
    case "compare":
      return compare(
        expression.operator,
        evaluate(expression.left, message),
        evaluate(expression.right, message),
      );
    case "arithmetic":
      return arithmetic(
        expression.operator,
        evaluate(expression.left, message),
        evaluate(expression.right, message),
      );
    case "is-null":
      return evaluate(expression.operand, message) === null;
    case "in":
      return isIn(evaluate(expression.operand, message), expression.options, message);
    case "like":
      return isLike(expression, message);
    default:
      return propertyValue(expression.property, message) !== undefined;
  }
}

function propertyValue(property: PropertyReference, message: MessageContent): SqlValue | undefined {
  if (property.kind === "system") return sqlValue(message.property(property.name)) ?? undefined;
  const wanted = property.name.toLowerCase();
  for (const [name, value] of message.applicationProperties()) {
    if (name.toLowerCase() === wanted) return sqlValue(value);
  }
  return undefined;
}

function sqlValue(value: AmqpValue): SqlValue {
  if (value instanceof Date) return value;
  return typeof value === "object" ? null : value;
}

const not = (value: boolean | null): boolean | null => (value === null ? null : !value);

function and(left: boolean | null, right: () => boolean | null): boolean | null {
  if (left === false) return false;
  const other = right();
  return other === false ? false : left === null || other === null ? null : true;
}

type Comparable = string | number | bigint | boolean;

const orderings: Readonly<
  Record<Exclude<Comparison, "=" | "<>">, (a: Comparable, b: Comparable) => boolean>
> = {
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
};

/** Values of different kinds are never equal and never ordered; nothing is converted silently. */
function compare(operator: Comparison, left: SqlValue, right: SqlValue): boolean | null {
  if (left === null || right === null) return null;
  const a = left instanceof Date ? left.getTime() : left;
  const b = right instanceof Date ? right.getTime() : right;
  const alike = isNumeric(a) ? isNumeric(b) : typeof a === typeof b;
  if (operator === "=") return alike && equal(a, b);
  if (operator === "<>") return !(alike && equal(a, b));
  return alike ? orderings[operator](a, b) : null;
}

const isNumeric = (value: SqlValue): value is number | bigint =>
  typeof value === "number" || typeof value === "bigint";

/** A long may be a bigint and still equal a number. */
const equal = (a: Comparable, b: Comparable): boolean =>
  a === b || (isNumeric(a) && isNumeric(b) && !(a < b) && !(a > b));

const operations: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
};

function arithmetic(operator: Operator, left: SqlValue, right: SqlValue): SqlValue {
  if (left === null || right === null) return null;
  if (!isNumeric(left) || !isNumeric(right)) throw new SqlEvaluationError(`'${operator}' needs two numbers.`);
  const divides = operator === "/" || operator === "%";
  if (divides && Number(right) === 0) throw new SqlEvaluationError("Division by zero.");
  return operations[operator](Number(left), Number(right));
}

function isIn(value: SqlValue, options: readonly Expression[], message: MessageContent): boolean | null {
  let unknown = value === null;
  for (const option of options) {
    const found = compare("=", value, evaluate(option, message));
    if (found) return true;
    unknown ||= found === null;
  }
  return unknown ? null : false;
}

function isLike(expression: Extract<Expression, { kind: "like" }>, message: MessageContent): boolean | null {
  const value = evaluate(expression.operand, message);
  const pattern = evaluate(expression.pattern, message);
  const escape = expression.escape ? evaluate(expression.escape, message) : undefined;
  if (value === null || pattern === null) return null;
  if (typeof value !== "string" || typeof pattern !== "string") return false;
  return likeMatches(value, pattern, typeof escape === "string" ? escape : undefined);
}
