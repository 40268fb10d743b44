import { Described, type AmqpValue } from "../codec/decode.ts";
import type { Properties, Settlement } from "../entities/settlement.ts";
import { unwrap, type TypedValue } from "./rhea-internals.ts";

const outcomes: Readonly<Record<string, "accepted" | "rejected" | "released" | "modified">> = {
  36: "accepted",
  "amqp:accepted:list": "accepted",
  37: "rejected",
  "amqp:rejected:list": "rejected",
  38: "released",
  "amqp:released:list": "released",
  39: "modified",
  "amqp:modified:list": "modified",
};

/** What a receiver means by the state it gives a delivery; undefined when it is no outcome at all. */
export function readOutcome(state: TypedValue | null | undefined): Settlement | undefined {
  const fields: unknown = unwrap(state);
  const list: readonly unknown[] = Array.isArray(fields) ? fields : [];
  switch (outcomes[String(state?.descriptor?.value)]) {
    case "accepted":
      return { kind: "complete" };
    case "released":
      return { kind: "abandon", properties: new Map() };
    case "modified":
      return { kind: list[1] === true ? "defer" : "abandon", properties: toProperties(list[2]) };
    case "rejected":
      return { kind: "dead-letter", properties: deadLetterProperties(list[0]) };
    default:
      return undefined;
  }
}

/** Reason and description travel in the error's info; fields the application left out are null there. */
function deadLetterProperties(error: unknown): Properties {
  const info: unknown =
    typeof error === "object" && error !== null && "info" in error ? error.info : undefined;
  return new Map([...toProperties(info)].filter(([, value]) => value !== null));
}

function toProperties(map: unknown): Properties {
  if (typeof map !== "object" || map === null) return new Map();
  return new Map(Object.entries(map).map(([name, value]) => [name, toAmqpValue(value)]));
}

function toAmqpValue(value: unknown): AmqpValue {
  switch (typeof value) {
    case "boolean":
    case "number":
    case "bigint":
    case "string":
      return value;
    case "object":
      if (value instanceof Date || value instanceof Described || Buffer.isBuffer(value)) return value;
      if (Array.isArray(value)) return value.map(toAmqpValue);
      return value === null ? null : toProperties(value);
    default:
      return null;
  }
}
