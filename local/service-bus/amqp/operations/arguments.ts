import type { AmqpMap, AmqpValue } from "../../codec/decode.ts";
import { textOf } from "../../codec/message-content.ts";
import { invalidArgument } from "../../errors.ts";

/** Readers for the fields of a request; each refuses what is missing or of the wrong type, by name. */
export function stringField(body: AmqpMap, name: string): string {
  const value = body.get(name);
  if (typeof value !== "string") throw invalidArgument(`'${name}' must be a string.`);
  return value;
}

export function optionalString(body: AmqpMap, name: string): string | undefined {
  const value = body.get(name) ?? null;
  return value === null ? undefined : stringField(body, name);
}

export function integerField(body: AmqpMap, name: string, fallback?: number): number {
  const value = body.get(name) ?? fallback;
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "number" || !Number.isInteger(value))
    throw invalidArgument(`'${name}' must be an integer.`);
  return value;
}

export function listField(body: AmqpMap, name: string): readonly AmqpValue[] {
  const value = body.get(name);
  if (!isList(value)) throw invalidArgument(`'${name}' must be a list.`);
  return value;
}

export const stringsField = (body: AmqpMap, name: string): readonly string[] =>
  listField(body, name).map((value) => textOf(value) ?? "");

export const integersField = (body: AmqpMap, name: string): readonly number[] =>
  listField(body, name).map((value) => Number(value));

const isList = (value: AmqpValue | undefined): value is readonly AmqpValue[] => Array.isArray(value);
