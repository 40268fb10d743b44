import { randomUUID } from "node:crypto";

import { decode, type AmqpMap, type AmqpValue } from "./decode.ts";
import { described, encodeValue, list, mapOf, nothing, string } from "./encode.ts";
import { rawElements, section, splitSections, type Section } from "./sections.ts";

/** Positions in the AMQP properties section. */
export const property = {
  messageId: 0,
  to: 2,
  subject: 3,
  replyTo: 4,
  correlationId: 5,
  contentType: 6,
  sessionId: 10,
  replyToSessionId: 12,
} as const;
export type PropertyName = keyof typeof property;

/** Annotations the broker alone may set; whatever a sender wrote under these names is dropped. */
const brokerAnnotations = new Set([
  "x-opt-enqueued-time",
  "x-opt-sequence-number",
  "x-opt-enqueue-sequence-number",
  "x-opt-locked-until",
  "x-opt-message-state",
  "x-opt-deadletter-source",
]);

/** What precedes the bare message: the header's fields and the annotations a sender may set. */
interface Head {
  /** Encodings of the header's `durable` and `priority`. */
  readonly durable: Buffer;
  readonly priority: Buffer;
  readonly ttlMs: number | undefined;
  /** The sender's annotations, encoded key by key and value by value. */
  readonly annotations: readonly Buffer[];
  readonly scheduledAt: number | undefined;
}

/**
 * What a sender sent, immutable. The bytes are kept as they came (a decode and encode would lose AMQP types); only
 * what the broker must change is taken apart.
 */
export class MessageContent {
  readonly head: Head;
  /** Properties, application properties, body and footer: the part no delivery changes. */
  readonly bare: Buffer;
  /** Where, in `bare`, the application properties and the body begin. */
  readonly #applicationAt: number;
  readonly #bodyAt: number;

  constructor(head: Head, bare: Buffer, applicationAt: number, bodyAt: number) {
    this.head = head;
    this.bare = bare;
    this.#applicationAt = applicationAt;
    this.#bodyAt = bodyAt;
  }

  /** Bytes this message counts for in quotas and statistics. */
  get size(): number {
    return this.bare.length;
  }

  property(name: PropertyName): AmqpValue {
    const raw = elementsOf(this.bare.subarray(0, this.#applicationAt))[property[name]];
    return raw ? decode(raw) : null;
  }

  /** The id in a form that can be compared: senders may use strings, numbers, uuids or bytes. */
  get messageId(): string {
    return textOf(this.property("messageId")) ?? "";
  }

  get sessionId(): string | undefined {
    return textOf(this.property("sessionId"));
  }

  applicationProperties(): AmqpMap {
    const [only] = splitSections(this.#applicationSection());
    const value = only ? decode(this.#applicationSection(), only.value, only.end) : null;
    return value instanceof Map ? value : new Map();
  }

  /** A copy with some application properties set or, where the value is undefined, removed. */
  withApplicationProperties(changes: ReadonlyMap<string, AmqpValue | undefined>): MessageContent {
    if (changes.size === 0) return this;
    const entries = new Map<string, Buffer>();
    const raw = elementsOf(this.#applicationSection());
    for (let index = 0; index + 1 < raw.length; index += 2) {
      entries.set(textOf(decode(raw[index]!)) ?? "", raw[index + 1]!);
    }
    for (const [name, value] of changes) {
      if (value === undefined) entries.delete(name);
      else entries.set(name, encodeValue(value));
    }
    const encoded = [...entries].flatMap(([name, value]) => [string(name), value]);
    const application = described(BigInt(section.applicationProperties), mapOf(encoded));
    return assemble(this.head, this.bare.subarray(0, this.#applicationAt), application, this.#body());
  }

  /** A copy with one system property set or removed. */
  withProperty(name: PropertyName, value: AmqpValue): MessageContent {
    const properties = [...elementsOf(this.bare.subarray(0, this.#applicationAt))];
    while (properties.length <= property[name]) properties.push(nothing);
    properties[property[name]] = encodeValue(value);
    return assemble(this.head, propertiesSection(properties), this.#applicationSection(), this.#body());
  }

  withoutBody(): MessageContent {
    const kept = this.bare.subarray(0, this.#bodyAt);
    return new MessageContent(this.head, kept, this.#applicationAt, this.#bodyAt);
  }

  #applicationSection(): Buffer {
    return this.bare.subarray(this.#applicationAt, this.#bodyAt);
  }

  #body(): Buffer {
    return this.bare.subarray(this.#bodyAt);
  }
}

/** Reads an encoded message; throws `MalformedEncoding` when it is none. The bytes given may be reused afterwards. */
export function readContent(encoded: Buffer): MessageContent {
  const buffer = Buffer.from(encoded);
  const sections = splitSections(buffer);
  const find = (code: number): Section | undefined => sections.find((part) => part.code === code);
  const startOf = (first: number): number =>
    sections.find(({ code }) => code >= first)?.start ?? buffer.length;

  const head = readHead(buffer, find(section.header), find(section.messageAnnotations));
  const properties = find(section.properties);
  const applicationAt = startOf(section.applicationProperties);
  const bodyAt = startOf(section.data);
  const elements = properties ? rawElements(buffer, properties.value) : [];
  if (properties && elements[0] && elements[0][0] !== 0x40) {
    const from = properties.start;
    return new MessageContent(head, buffer.subarray(from), applicationAt - from, bodyAt - from);
  }
  const application = buffer.subarray(applicationAt, bodyAt);
  return assemble(head, propertiesSection(withMessageId(elements)), application, buffer.subarray(bodyAt));
}

function assemble(head: Head, properties: Buffer, application: Buffer, body: Buffer): MessageContent {
  const bodyAt = properties.length + application.length;
  return new MessageContent(head, Buffer.concat([properties, application, body]), properties.length, bodyAt);
}

const propertiesSection = (elements: readonly Buffer[]): Buffer =>
  described(BigInt(section.properties), list(elements));

const plainHead: Head = {
  durable: nothing,
  priority: nothing,
  ttlMs: undefined,
  annotations: [],
  scheduledAt: undefined,
};

function readHead(buffer: Buffer, header: Section | undefined, annotated: Section | undefined): Head {
  if (!header && !annotated) return plainHead;
  const fields = header ? rawElements(buffer, header.value) : [];
  const ttl = fields[2] ? decode(fields[2]) : null;
  return {
    durable: fields[0] ?? nothing,
    priority: fields[1] ?? nothing,
    ttlMs: typeof ttl === "number" ? ttl : undefined,
    ...readAnnotations(annotated ? rawElements(buffer, annotated.value) : []),
  };
}

function readAnnotations(raw: readonly Buffer[]): Pick<Head, "annotations" | "scheduledAt"> {
  const annotations: Buffer[] = [];
  let scheduledAt: number | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const key = raw[index]!;
    const name = decode(key);
    if (typeof name === "string" && brokerAnnotations.has(name)) continue;
    if (name === "x-opt-scheduled-enqueue-time") {
      const due = decode(raw[index + 1]!);
      if (due instanceof Date) scheduledAt = due.getTime();
    }
    annotations.push(key, raw[index + 1]!);
  }
  return { annotations, scheduledAt };
}

/** Clients refuse to settle a message without an id, so the broker gives one to those that came without. */
const withMessageId = (properties: readonly Buffer[]): readonly Buffer[] => [
  string(randomUUID().replaceAll("-", "")),
  ...properties.slice(1),
];

function elementsOf(sectionBytes: Buffer): readonly Buffer[] {
  const [only] = splitSections(sectionBytes);
  return only ? rawElements(sectionBytes, only.value) : [];
}

/** A value in a form that can be compared, whatever type a sender chose for it. */
export function textOf(value: AmqpValue): string | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return value;
  return Buffer.isBuffer(value)
    ? value.toString("hex")
    : JSON.stringify(typeof value === "bigint" ? String(value) : value);
}
