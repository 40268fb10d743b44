import { createHash, randomBytes } from "node:crypto";

/**
 * Something that happened at a vendor, for a sample to tell of. All of it follows from the id of the delivery, so that
 * the same id makes the same bytes: a redelivery.
 */
export interface Occurrence {
  readonly id: string;
  readonly at: Date;
  /** Of the pull request, issue or order: mostly another one for another id. */
  readonly number: number;
  /** Hex digits for whatever else needs an id. */
  readonly digits: string;
}

/** For ids that tell no time. */
const someDay = new Date("2026-01-01T09:00:00.000Z");

export function occurrenceOf(id: string): Occurrence {
  const digits = createHash("sha256").update(id).digest("hex");
  return {
    id,
    at: timeIn(id) ?? someDay,
    number: (Number.parseInt(digits.slice(0, 6), 16) % 9000) + 1000,
    digits,
  };
}

/** A UUID of version 7, which begins with its time. */
export function newDeliveryId(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function timeIn(id: string): Date | undefined {
  const [, high, low] =
    /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : new Date(Number.parseInt(high + low, 16));
}
