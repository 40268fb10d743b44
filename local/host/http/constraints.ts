import { TemplateError } from "./template-error.ts";

/** What an inline constraint such as `int` or `range(1,10)` asks of a parameter's value. */
export interface Constraint {
  readonly text: string;
  accepts(value: string): boolean;
}

type Check = (value: string) => boolean;

const whole = /^\s*[-+]?\d+\s*$/;
const guid =
  /^(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}|\([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\))$/i;
const decimal = /^[-+]?(?=[\d.])[\d,]*(?:\.\d*)?$/;
const double = /^(?:[-+]?(?=[\d.])[\d,]*(?:\.\d*)?(?:e[-+]?\d+)?|NaN|[-+]?Infinity|[-+]?∞)$/i;

/** By name: how many arguments a constraint takes and the check they make. */
const makers: Readonly<Record<string, { readonly takes: readonly number[]; make(args: string[]): Check }>> = {
  int: { takes: [0], make: () => (value) => isWhole(value, 31n) },
  long: { takes: [0], make: () => (value) => isWhole(value, 63n) },
  bool: { takes: [0], make: () => (value) => /^\s*(?:true|false)\s*$/i.test(value) },
  // Date.parse alone takes "1" for a date, which the platform does not.
  datetime: {
    takes: [0],
    make: () => (value) => /\d[-/:. ]\d|[a-z]{3}/i.test(value) && !Number.isNaN(Date.parse(value)),
  },
  decimal: { takes: [0], make: () => (value) => decimal.test(value) && /\d/.test(value) },
  double: { takes: [0], make: () => (value) => double.test(value) },
  float: { takes: [0], make: () => (value) => double.test(value) },
  guid: { takes: [0], make: () => (value) => guid.test(value) },
  alpha: { takes: [0], make: () => (value) => /^[a-z]*$/i.test(value) },
  required: { takes: [0], make: () => (value) => value !== "" },
  minlength: { takes: [1], make: ([least]) => atLeast(least, lengthOf) },
  maxlength: { takes: [1], make: ([most]) => atMost(most, lengthOf) },
  length: {
    takes: [1, 2],
    make: ([least, most = least]) => both(atLeast(least, lengthOf), atMost(most, lengthOf)),
  },
  min: { takes: [1], make: ([least]) => both(isLong, atLeast(least, wholeOf)) },
  max: { takes: [1], make: ([most]) => both(isLong, atMost(most, wholeOf)) },
  range: {
    takes: [2],
    make: ([least, most]) => both(isLong, both(atLeast(least, wholeOf), atMost(most, wholeOf))),
  },
};

export function parseConstraint(text: string): Constraint {
  const match = /^([^(]*)(?:\((.*)\))?$/s.exec(text);
  const name = match?.[1]?.trim().toLowerCase() ?? "";
  const inner = match?.[2];
  if (name === "regex" && inner !== undefined) return { text, accepts: regexCheck(inner) };
  const maker = makers[name];
  if (maker === undefined) throw new TemplateError(`'${text}' is not a constraint of a route parameter`);
  const args = inner === undefined || inner.trim() === "" ? [] : inner.split(",").map((part) => part.trim());
  if (!maker.takes.includes(args.length)) {
    throw new TemplateError(`constraint '${text}' takes ${maker.takes.join(" or ")} argument(s)`);
  }
  if (!args.every((arg) => whole.test(arg))) {
    throw new TemplateError(`constraint '${text}' takes whole numbers`);
  }
  return { text, accepts: maker.make(args) };
}

/** Not anchored and without regard to case, as the platform runs it. */
function regexCheck(source: string): Check {
  try {
    const pattern = new RegExp(source, "i");
    return (value) => pattern.test(value);
  } catch {
    throw new TemplateError(`'${source}' is not a regular expression`);
  }
}

function isWhole(value: string, bits: bigint): boolean {
  if (!whole.test(value)) return false;
  const number = wholeOf(value);
  return number >= -(2n ** bits) && number < 2n ** bits;
}

function wholeOf(value: string): bigint {
  return BigInt(value.trim().replace("+", ""));
}

function isLong(value: string): boolean {
  return isWhole(value, 63n);
}

function lengthOf(value: string): number {
  return value.length;
}

function atLeast(limit: string | undefined, measure: (value: string) => number | bigint): Check {
  const least = wholeOf(limit ?? "0");
  return (value) => measure(value) >= least;
}

function atMost(limit: string | undefined, measure: (value: string) => number | bigint): Check {
  const most = wholeOf(limit ?? "0");
  return (value) => measure(value) <= most;
}

function both(first: Check, second: Check): Check {
  return (value) => first(value) && second(value);
}
