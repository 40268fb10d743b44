import { crc32 } from "node:zlib";

import type { MessageState } from "../entities/queued-message.ts";
import type { RuleDescription } from "../entities/settings.ts";
import type { CreatedEntity } from "../entities/store.ts";

export interface MessageRecord {
  readonly kind: "message";
  readonly queue: string;
  readonly sequence: number;
  readonly enqueuedSequence: number;
  readonly enqueuedAt: number;
  readonly ttlMs: number | undefined;
  readonly expiresAt: number;
  readonly dueAt: number | undefined;
  readonly deadLetterSource: string | undefined;
  readonly state: MessageState;
  readonly deliveryCount: number;
}

/** Everything the journal can say. Some kinds carry bytes beside these fields. */
export type JournalRecord =
  /** A message with its content; a second one of the same number replaces the first. */
  | MessageRecord
  | {
      readonly kind: "recount";
      readonly queue: string;
      readonly sequence: number;
      readonly state: MessageState;
      readonly deliveryCount: number;
    }
  | { readonly kind: "removed"; readonly queue: string; readonly sequence: number }
  | { readonly kind: "seen"; readonly queue: string; readonly id: string; readonly at: number }
  | {
      readonly kind: "session-state";
      readonly queue: string;
      readonly session: string;
      readonly cleared: boolean;
    }
  /** Numbers below this one have been used, even if no message shows it any more. */
  | { readonly kind: "next-sequence"; readonly queue: string; readonly next: number }
  | {
      readonly kind: "rules";
      readonly subscription: string;
      readonly configured: readonly RuleDescription[];
      readonly rules: readonly RuleDescription[];
    }
  | { readonly kind: "entity"; readonly path: string; readonly entity: CreatedEntity }
  /** The entity of this path and everything below it was deleted. */
  | { readonly kind: "dropped"; readonly path: string };

/** Bytes before a record: its length and a checksum of what follows. */
const prefixBytes = 8;
const noBytes = Buffer.alloc(0);

/** `[length u32][crc32 u32][header length u32][header JSON][bytes]` */
export function encodeRecord(record: JournalRecord, payload: readonly Buffer[] = []): Buffer {
  const header = Buffer.from(JSON.stringify(record, toPlain), "utf8");
  const whole = Buffer.concat([Buffer.allocUnsafe(prefixBytes + 4), header, ...payload]);
  whole.writeUInt32BE(whole.length - prefixBytes, 0);
  whole.writeUInt32BE(header.length, prefixBytes);
  whole.writeUInt32BE(crc32(whole.subarray(prefixBytes)), 4);
  return whole;
}

export interface Decoded {
  readonly record: JournalRecord;
  readonly payload: Buffer;
  readonly end: number;
}

/** How many bytes the record at `offset` says it has, as far as that can be read. */
export const recordBytes = (file: Buffer, offset: number): number =>
  offset + 4 <= file.length ? prefixBytes + file.readUInt32BE(offset) : prefixBytes;

/** The record at `offset`, or undefined when what is there is not a whole one: the tail a crash tore off. */
export function decodeRecord(file: Buffer, offset: number): Decoded | undefined {
  if (offset + prefixBytes + 4 > file.length) return undefined;
  const end = offset + prefixBytes + file.readUInt32BE(offset);
  if (end > file.length || end < offset + prefixBytes + 4) return undefined;
  const body = file.subarray(offset + prefixBytes, end);
  if (crc32(body) !== file.readUInt32BE(offset + 4)) return undefined;
  const headerEnd = 4 + body.readUInt32BE(0);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the checksum says it is what encodeRecord wrote
  const record = JSON.parse(body.toString("utf8", 4, headerEnd), fromPlain) as JournalRecord;
  return { record, payload: headerEnd < body.length ? Buffer.from(body.subarray(headerEnd)) : noBytes, end };
}

/** JSON knows neither infinity nor dates; both occur in settings and filters. */
function toPlain(this: unknown, key: string, value: unknown): unknown {
  if (value === Infinity) return { $: "infinity" };
  const original: unknown = typeof this === "object" && this !== null ? Reflect.get(this, key) : undefined;
  return original instanceof Date ? { $: "date", at: original.getTime() } : value;
}

function fromPlain(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("$" in value)) return value;
  if (value.$ === "infinity") return Infinity;
  return value.$ === "date" && "at" in value ? new Date(Number(value.at)) : value;
}
