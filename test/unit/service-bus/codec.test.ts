import * as fc from "fast-check";
import rhea from "rhea";
import { describe, expect, test } from "vitest";

import { FrameGuard } from "../../../local/service-bus/amqp/frame-guard.ts";
import { readTransfer } from "../../../local/service-bus/codec/batch.ts";
import { decode } from "../../../local/service-bus/codec/decode.ts";
import { encodeMessage } from "../../../local/service-bus/codec/encode-message.ts";
import { encodeValue } from "../../../local/service-bus/codec/encode.ts";
import { tagOfToken } from "../../../local/service-bus/codec/lock-token.ts";
import { readContent } from "../../../local/service-bus/codec/message-content.ts";
import { MalformedEncoding } from "../../../local/service-bus/codec/scan.ts";

const properties = {
  message_id: "id",
  subject: "s",
  group_id: "session",
  correlation_id: "c",
  application_properties: { a: 1, b: "two", c: true },
};
const encode = (message: object): Buffer => rhea.message.encode(message);
const dataSections = (parts: readonly Buffer[]): unknown => rhea.message.data_sections(parts);

/** Reads a message in every way the server does; says how that ended. */
function attempt(bytes: Buffer): string {
  try {
    const content = readContent(bytes);
    content.applicationProperties();
    content.property("sessionId");
    readContent(encodeMessage(content, {}));
    return "read";
  } catch (error) {
    return error instanceof Error ? error.name : "thrown";
  }
}

describe("the message codec", () => {
  test("leaves the bytes of properties, application properties and body as they came", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), fc.string(), (bytes, text) => {
        const encoded = encode({
          ...properties,
          subject: text,
          body: dataSections([Buffer.from(bytes)]),
        });
        const content = readContent(encoded);
        const again = readContent(encodeMessage(content, { sequence: 1, enqueuedAt: 5, deliveryCount: 3 }));
        expect(again.bare.equals(content.bare)).toBe(true);
        expect(again.property("subject")).toBe(text);
      }),
    );
  });

  test("writes what a client reads: count, numbers, times, foreign annotations", () => {
    const content = readContent(
      encode({
        ...properties,
        ttl: 5000,
        durable: true,
        message_annotations: { "x-opt-partition-key": "p", "x-opt-sequence-number": 99 },
      }),
    );
    const message = rhea.message.decode(
      encodeMessage(content, {
        ttlMs: 4000,
        deliveryCount: 0,
        enqueuedAt: 1_700_000_000_123,
        sequence: 2 ** 40 + 7,
        enqueuedSequence: 3,
        lockedUntil: 1_700_000_060_123,
        state: 1,
        deadLetterSource: "source",
      }),
    );
    expect(message).toMatchObject({
      durable: true,
      ttl: 4000,
      message_annotations: {
        "x-opt-partition-key": "p",
        "x-opt-sequence-number": 2 ** 40 + 7,
        "x-opt-enqueue-sequence-number": 3,
        "x-opt-enqueued-time": new Date(1_700_000_000_123),
        "x-opt-locked-until": new Date(1_700_000_060_123),
        "x-opt-message-state": 1,
        "x-opt-deadletter-source": "source",
      },
      group_id: "session",
    });
  });

  test("merges, replaces and removes application properties and keeps the others' types", () => {
    const content = readContent(
      encode({ ...properties, application_properties: { kept: rhea.types.wrap_ubyte(7), gone: 1, old: 1 } }),
    );
    const changed = content.withApplicationProperties(
      new Map<string, string | undefined>([
        ["old", "new"],
        ["gone", undefined],
      ]),
    );
    expect(changed.applicationProperties()).toEqual(
      new Map<string, unknown>([
        ["kept", 7],
        ["old", "new"],
      ]),
    );
    expect(changed.bare.includes(Buffer.from([0x50, 7]))).toBe(true);
    expect(changed.messageId).toBe("id");
  });

  test("gives an id to a message without one and keeps the rest", () => {
    const content = readContent(encode({ subject: "s", body: "b" }));
    expect(content.messageId).toMatch(/^[0-9a-f]{32}$/);
    expect(content.property("subject")).toBe("s");
  });

  test("takes a batch apart", () => {
    const items = [1, 2, 3].map((n) => encode({ message_id: `m${n}`, body: n }));
    const batch = encode({ body: dataSections(items) });
    expect(readTransfer(batch, 0x80_01_37_00).map(({ messageId }) => messageId)).toEqual(["m1", "m2", "m3"]);
    expect(() => readTransfer(encode({ body: "x" }), 0x80_01_37_00)).toThrow(MalformedEncoding);
  });

  test("refuses or reads any bytes, and never throws anything else", () => {
    const valid = encode({
      ...properties,
      ttl: 1,
      message_annotations: { a: 1 },
      body: { list: [1, [2]], map: { x: null } },
    });
    const mutated = fc.tuple(fc.nat(valid.length - 1), fc.nat(255)).map(([at, byte]) => {
      const copy = Buffer.from(valid);
      copy[at] = byte;
      return copy;
    });
    const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(mutated, random), (bytes) => {
        expect(attempt(bytes)).toMatch(/^(read|MalformedEncoding)$/);
      }),
      { numRuns: 5000 },
    );
  });

  test("refuses counts that no bytes stand behind", () => {
    const nulls = Buffer.from("f000000005ffffffff40", "hex");
    const list = Buffer.from("d000000004ffffffff", "hex");
    for (const bomb of [nulls, list, Buffer.alloc(10_000)])
      expect(() => decode(bomb)).toThrow(MalformedEncoding);
  });

  test("decodes what it encodes", () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.double({ noNaN: true }).filter((number) => !Number.isInteger(number)),
      fc.string(),
      fc.date({ noInvalidDate: true }),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          fc.array(value),
          fc.dictionary(fc.string(), value).map((object) => new Map(Object.entries(object))),
        ),
        (sample) => {
          expect(decode(encodeValue(sample))).toEqual(sample);
        },
      ),
    );
  });

  test("writes a lock token in the byte order of a Guid", () => {
    expect(tagOfToken("00112233-4455-6677-8899-aabbccddeeff").toString("hex")).toBe(
      "33221100554477668899aabbccddeeff",
    );
  });
});

describe("the frame guard", () => {
  const header = Buffer.from("AMQP\x03\x01\x00\x00", "latin1");
  const heartbeat = Buffer.from("0000000802000000", "hex");
  const flow = Buffer.from("0000000f02000000005313c0020140", "hex");

  test("lets the same bytes through however they are cut", () => {
    const stream = Buffer.concat([header, flow, heartbeat, flow, flow]);
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 20 }), (cuts) => {
        const guard = new FrameGuard(1000);
        const edges = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        const passed = edges.slice(1).map((end, index) => guard.push(stream.subarray(edges[index], end)));
        expect(Buffer.concat(passed.filter((chunk) => chunk !== undefined)).equals(stream)).toBe(true);
      }),
    );
  });

  test.each([
    ["a frame above the limit", Buffer.concat([header, Buffer.from("000f424002000000", "hex")])],
    ["a frame smaller than its header", Buffer.concat([header, Buffer.from("0000000702000000", "hex")])],
    ["no AMQP header", Buffer.from("GET / HTTP/1.1\r\n")],
    [
      "a data offset beyond the frame",
      Buffer.concat([header, Buffer.from("0000000cff00000000000000", "hex")]),
    ],
    ["a third protocol header", Buffer.concat([header, header, header])],
  ])("refuses %s", (_name, bytes) => {
    expect(() => new FrameGuard(1000).push(bytes)).toThrow(MalformedEncoding);
  });
});
