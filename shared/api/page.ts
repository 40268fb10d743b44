import type { Fault } from "../faults.ts";
import { invalid } from "./invalid.ts";
import type { JsonSchema } from "./typed-schema.ts";

/** The query parameters every list takes. */
export const pageProperties = {
  limit: { type: "integer", minimum: 1, maximum: 200, default: 50, description: "How many to answer with." },
  cursor: {
    type: "string",
    minLength: 1,
    maxLength: 2048,
    description: "`nextCursor` of the page before; left out for the first.",
  },
} as const;

export interface Page<T> {
  readonly items: readonly T[];
  /** Absent when there is no more. */
  readonly nextCursor?: string;
}

export function pageSchema(title: string, item: JsonSchema): JsonSchema {
  return {
    title,
    type: "object",
    additionalProperties: false,
    required: ["items"],
    properties: {
      items: { type: "array", items: item },
      nextCursor: { type: "string", description: "Absent when there is no more." },
    },
  };
}

/**
 * A cursor says where the next page begins, within what the caller may see anyway: it carries no right, so nothing is
 * gained by making one up.
 */
export function encodeCursor(...parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

/** Undefined for the first page. What is not one of ours is refused. */
export function decodeCursor(cursor: string | undefined, parts: number): readonly string[] | undefined {
  if (cursor === undefined) return undefined;
  const value = parse(cursor);
  if (!Array.isArray(value) || value.length !== parts || !value.every(isKeyText)) throw notACursor();
  return value;
}

/** A cursor whose one part is the number of the last item shown. */
export function decodeSequence(cursor: string | undefined): number | undefined {
  const [text] = decodeCursor(cursor, 1) ?? [];
  return text === undefined ? undefined : sequenceOf(text);
}

/** A part of a cursor that is a number. */
export function sequenceOf(part: string): number {
  if (!/^\d{1,12}$/.test(part)) throw notACursor();
  return Number(part);
}

/** Everything a page needs: one more than it shows tells whether there is another. */
export function pageOf<T>(found: readonly T[], limit: number, cursorAfter: (last: T) => string): Page<T> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return found.length > limit && last !== undefined ? { items, nextCursor: cursorAfter(last) } : { items };
}

function notACursor(): Fault {
  return invalid({ path: "query.cursor", message: "is not a cursor of this list" });
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** What may stand in a key of a table. */
function isKeyText(value: unknown): value is string {
  return typeof value === "string" && /^[\w|.:~-]{0,512}$/.test(value);
}
