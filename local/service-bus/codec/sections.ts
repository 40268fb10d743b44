import { decode } from "./decode.ts";
import { MalformedEncoding, valueEnd } from "./scan.ts";

/** The sections of an AMQP message, in the order the standard demands. */
export const section = {
  header: 0x70,
  deliveryAnnotations: 0x71,
  messageAnnotations: 0x72,
  properties: 0x73,
  applicationProperties: 0x74,
  data: 0x75,
  sequence: 0x76,
  value: 0x77,
  footer: 0x78,
} as const;

const symbolicNames: Readonly<Record<string, number>> = {
  "amqp:header:list": section.header,
  "amqp:delivery-annotations:map": section.deliveryAnnotations,
  "amqp:message-annotations:map": section.messageAnnotations,
  "amqp:properties:list": section.properties,
  "amqp:application-properties:map": section.applicationProperties,
  "amqp:data:binary": section.data,
  "amqp:amqp-sequence:list": section.sequence,
  "amqp:amqp-value:*": section.value,
  "amqp:footer:map": section.footer,
};

/** Where a section lies in the message: `start` to `end`, its value from `value` on. */
export interface Section {
  readonly code: number;
  readonly start: number;
  readonly value: number;
  readonly end: number;
}

/** Splits an encoded message; throws when it is not one. */
export function splitSections(buffer: Buffer): readonly Section[] {
  const sections: Section[] = [];
  let start = 0;
  let previous = 0;
  while (start < buffer.length) {
    if (buffer[start] !== 0x00) throw new MalformedEncoding("a message section has no descriptor");
    const value = valueEnd(buffer, start + 1, buffer.length);
    const code = sectionCode(buffer, start + 1, value);
    if (code < previous) throw new MalformedEncoding("message sections are out of order");
    const end = valueEnd(buffer, value, buffer.length);
    checkKind(code, buffer[value] ?? 0);
    sections.push({ code, start, value, end });
    previous = code;
    start = end;
  }
  return sections;
}

function sectionCode(buffer: Buffer, start: number, end: number): number {
  const short = buffer[start] === 0x53 ? buffer[start + 1] : undefined;
  const descriptor = short ?? decode(buffer, start, end);
  const code = typeof descriptor === "string" ? symbolicNames[descriptor] : descriptor;
  if (typeof code === "number" && code >= section.header && code <= section.footer) return code;
  throw new MalformedEncoding("a message section has an unknown descriptor");
}

const lists = new Set([0x45, 0xc0, 0xd0]);
const maps = new Set([0xc1, 0xd1]);
const binaries = new Set([0xa0, 0xb0]);

const allowed: Readonly<Record<number, ReadonlySet<number>>> = {
  [section.header]: lists,
  [section.deliveryAnnotations]: maps,
  [section.messageAnnotations]: maps,
  [section.properties]: lists,
  [section.applicationProperties]: maps,
  [section.data]: binaries,
  [section.sequence]: lists,
  [section.footer]: maps,
};

function checkKind(code: number, constructor: number): void {
  if (allowed[code]?.has(constructor) === false)
    throw new MalformedEncoding("a message section holds the wrong type");
}

/** The encoded elements of a list or map, each still in its own bytes. */
export function rawElements(buffer: Buffer, value: number): readonly Buffer[] {
  const code = buffer[value] ?? 0;
  if (code === 0x45) return [];
  const wide = (code & 0x10) !== 0;
  const count = wide ? buffer.readUInt32BE(value + 5) : buffer.readUInt8(value + 2);
  const elements: Buffer[] = [];
  let at = value + (wide ? 9 : 3);
  for (let index = 0; index < count; index++) {
    const end = valueEnd(buffer, at, buffer.length);
    elements.push(buffer.subarray(at, end));
    at = end;
  }
  return elements;
}
