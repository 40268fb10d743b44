import { createHash } from "node:crypto";

import { type Normalised, PayloadProblem, type Webhook } from "./source.ts";

/** What a payload says in one place may become part of keys and of other systems' requests. */
const longestText = 512;
const endOfDates = Date.UTC(9999, 11, 31);
/** Seconds stay below this for three thousand years; milliseconds have been above it since 1973. */
const firstMilliseconds = 100_000_000_000;

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The row of that name: what comes from outside must not find what every object inherits, such as `constructor`. */
export function rowOf<Row>(table: Readonly<Record<string, Row>>, name: string): Row | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** What stands at a path such as `notifications[0].trigger`; own properties alone. */
export function fieldAt(data: unknown, path: string): unknown {
  return path
    .split(/[.[\]]/)
    .filter((name) => name !== "")
    .reduce(step, data);
}

function step(value: unknown, name: string): unknown {
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    return /^\d{1,9}$/.test(name) ? list[Number(name)] : undefined;
  }
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The first of the paths that holds a text or a number. */
export function textAt(data: unknown, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = asText(fieldAt(data, path));
    if (text !== undefined) return text;
  }
  return undefined;
}

export function requiredTextAt(data: unknown, path: string): string {
  const text = textAt(data, path);
  if (text === undefined) throw new PayloadProblem(path, `The payload has no '${path}'.`);
  return text;
}

export function headerOf({ headers }: Webhook, name: string): string | undefined {
  return asText(headers.get(name));
}

export function requiredHeaderOf(webhook: Webhook, name: string): string {
  const text = headerOf(webhook, name);
  if (text === undefined) throw new PayloadProblem(name, `The header '${name}' is missing.`);
  return text;
}

/**
 * The first of the paths that holds a time: a date as text, or unix seconds or milliseconds. What cannot be read
 * counts as absent, for an event is worth more than its time.
 */
export function timeAt(data: unknown, ...paths: readonly string[]): Date | undefined {
  for (const path of paths) {
    const time = readTime(textAt(data, path));
    if (time !== undefined) return time;
  }
  return undefined;
}

/** The optional parts of what a source makes of a webhook. */
export function timeAndDelivery(
  eventTime: Date | undefined,
  deliveryId: string | undefined,
): Pick<Normalised, "eventTime" | "deliveryId"> {
  return {
    ...(eventTime === undefined ? {} : { eventTime }),
    ...(deliveryId === undefined ? {} : { deliveryId }),
  };
}

export function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  const milliseconds =
    number === undefined ? Date.parse(text) : number < firstMilliseconds ? number * 1000 : number;
  return milliseconds >= 0 && milliseconds < endOfDates ? new Date(milliseconds) : undefined;
}

function asText(value: unknown): string | undefined {
  if (typeof value === "number") return isExact(value) ? String(value) : undefined;
  return typeof value === "string" && value !== "" ? shortened(value) : undefined;
}

/** A number too large for JavaScript has lost its last digits: as an id it would stand for other objects too. */
function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

/** Two long texts that differ stay different. */
function shortened(text: string): string {
  if (text.length <= longestText) return text;
  const hash = createHash("sha256").update(text).digest("hex");
  return `${text.slice(0, longestText - hash.length - 1)}~${hash}`;
}
