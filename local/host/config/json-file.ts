import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

import { parseJsonWithComments } from "../../json-with-comments.ts";
import { messageOf, StartError } from "../../start-error.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a settings file whose top is an object; comments are allowed, as on the platform. */
export function readJsonFile(path: string): JsonObject | undefined {
  if (!existsSync(path)) return undefined;
  let value: unknown;
  try {
    value = parseJsonWithComments(readFileSync(path, "utf8"));
  } catch (error) {
    throw new StartError(`${basename(path)} is not valid JSON: ${messageOf(error)} (${path})`);
  }
  if (!isObject(value)) throw new StartError(`${basename(path)} must hold one JSON object (${path})`);
  return value;
}

/** Looks into nested sections of a settings file and names the path of whatever has the wrong type. */
export class Section {
  readonly #file: string;
  readonly #path: string;
  readonly #value: JsonObject;

  constructor(file: string, value: JsonObject, path = "") {
    this.#file = file;
    this.#path = path;
    this.#value = value;
  }

  section(name: string): Section {
    const value = this.#value[name] ?? {};
    if (!isObject(value)) throw this.#wrong(name, "an object", value);
    return new Section(this.#file, value, this.#at(name));
  }

  entries(): [string, unknown][] {
    return Object.entries(this.#value);
  }

  string<D extends string | undefined>(name: string, otherwise: D): string | D {
    const value = this.#value[name];
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== "string") throw this.#wrong(name, "a string", value);
    return value;
  }

  number(name: string, otherwise: number, atLeast = 0): number {
    const value = this.#value[name];
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== "number" || !Number.isFinite(value) || value < atLeast) {
      throw this.#wrong(name, `a number of at least ${atLeast}`, value);
    }
    return value;
  }

  boolean(name: string, otherwise: boolean): boolean {
    const value = this.#value[name];
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== "boolean") throw this.#wrong(name, "true or false", value);
    return value;
  }

  /** A .NET time span such as `00:05:00` or `1.00:00:00`, in milliseconds. */
  timeSpan(name: string, otherwise: number): number {
    const text = this.string(name, undefined);
    if (text === undefined) return otherwise;
    const value = parseTimeSpan(text);
    if (value === undefined) throw this.#wrong(name, "a time span such as 00:05:00", text);
    return value;
  }

  /** Raised by callers that know more about a value than its type. */
  wrong(name: string, wanted: string): StartError {
    return this.#wrong(name, wanted, this.#value[name]);
  }

  #at(name: string): string {
    return this.#path === "" ? name : `${this.#path}.${name}`;
  }

  #wrong(name: string, wanted: string, got: unknown): StartError {
    return new StartError(`${this.#file}: ${this.#at(name)} must be ${wanted}, not ${JSON.stringify(got)}`);
  }
}

const span = /^(-)?(?:(\d+)\.)?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,7}))?)?$/;

export function parseTimeSpan(text: string): number | undefined {
  const match = span.exec(text.trim());
  if (match === null) return undefined;
  const [, minus, days = "0", hours = "0", minutes = "0", seconds = "0", fraction = "0"] = match;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
  const milliseconds = whole * 1000 + Math.round(Number(`0.${fraction}`) * 1000);
  return minus === undefined ? milliseconds : -milliseconds;
}

/** The form in which the platform hands time spans to the worker: `[d.]hh:mm:ss`. */
export function formatTimeSpan(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const days = Math.floor(seconds / 86_400);
  const rest = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  const clock = rest.map((part) => String(part).padStart(2, "0")).join(":");
  return days === 0 ? clock : `${days}.${clock}`;
}
