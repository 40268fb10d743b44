import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import { describe, expect, test } from "vitest";

import {
  batchData,
  batchMetadata,
  messageData,
  messageMetadata,
} from "../../../local/host/service-bus/message-data.ts";

type Properties = Omit<Partial<ServiceBusReceivedMessage>, "sequenceNumber"> & { sequenceNumber?: unknown };

/** A message as the client library gives it when it leaves bodies alone. */
function message(body: string | Buffer, properties: Properties = {}): ServiceBusReceivedMessage {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  return { body: bytes, deliveryCount: 0, ...properties } as unknown as ServiceBusReceivedMessage;
}

describe("the data of a Service Bus trigger", () => {
  test("is the text of the body, whatever it says", () => {
    expect(messageData(message('{"a":1}'), undefined)).toEqual({ string: '{"a":1}' });
    expect(messageData(message("123"), undefined)).toEqual({ string: "123" });
    expect(messageData(message(""), undefined)).toEqual({ string: "" });
  });

  test("is the bytes of the body when the binding asks for them", () => {
    const bytes = Buffer.from([0, 255, 1]);
    expect(messageData(message(bytes), "binary")).toEqual({ bytes });
    expect(batchData([message(bytes)], "binary")).toEqual({ collectionBytes: { bytes: [bytes] } });
  });

  test("of a value that is not bytes is its text or its JSON", () => {
    const valued = (body: unknown): ServiceBusReceivedMessage => ({ ...message(""), body });
    expect(messageData(valued("text"), undefined)).toEqual({ string: "text" });
    expect(messageData(valued({ a: 1 }), undefined)).toEqual({ string: '{"a":1}' });
    expect(messageData(valued(undefined), undefined)).toEqual({ string: "" });
  });

  test("of a batch is a collection without the empty ones", () => {
    const batch = [message("a"), message(""), message('{"b":1}')];
    expect(batchData(batch, undefined)).toEqual({ collectionString: { string: ["a", '{"b":1}'] } });
  });
});

describe("the metadata of a Service Bus trigger", () => {
  const enqueuedTimeUtc = new Date("2026-01-02T03:04:05.678Z");

  test("has the names and forms of the platform", () => {
    const metadata = messageMetadata(
      message("text", {
        messageId: "m1",
        deliveryCount: 2,
        lockToken: "lock",
        sequenceNumber: { toString: () => "42", valueOf: () => 42 },
        enqueuedTimeUtc,
        expiresAtUtc: new Date(253_402_300_800_000 * 2),
        contentType: "text/plain",
        correlationId: "c1",
        subject: "greeting",
        to: "you",
        replyTo: "me",
        replyToSessionId: "rs",
        sessionId: "s1",
        partitionKey: "s1",
        applicationProperties: { tenant: "t1", size: 3 },
      }),
    );
    expect(metadata).toEqual({
      MessageId: { string: "m1" },
      DeliveryCount: { json: "3" },
      LockToken: { string: "lock" },
      SequenceNumber: { json: "42" },
      EnqueuedTimeUtc: { string: "2026-01-02T03:04:05.678Z" },
      EnqueuedTime: { string: "2026-01-02T03:04:05.678+00:00" },
      ExpiresAtUtc: { string: "9999-12-31T23:59:59.999Z" },
      ExpiresAt: { string: "9999-12-31T23:59:59.999+00:00" },
      ContentType: { string: "text/plain" },
      CorrelationId: { string: "c1" },
      Subject: { string: "greeting" },
      Label: { string: "greeting" },
      To: { string: "you" },
      ReplyTo: { string: "me" },
      ReplyToSessionId: { string: "rs" },
      SessionId: { string: "s1" },
      PartitionKey: { string: "s1" },
      ApplicationProperties: { json: '{"tenant":"t1","size":3}' },
      UserProperties: { json: '{"tenant":"t1","size":3}' },
    });
  });

  test("leaves out what the message has not", () => {
    expect(Object.keys(messageMetadata(message("text"))).toSorted()).toEqual([
      "ApplicationProperties",
      "DeliveryCount",
      "UserProperties",
    ]);
  });

  test("takes in the properties of a JSON body, which shadow the broker's", () => {
    const body = { messageId: "mine", n: 1.5, yes: true, nested: { a: 1 }, list: [1], nothing: null };
    const metadata = messageMetadata(message(JSON.stringify(body), { messageId: "broker" }));
    expect(metadata).toMatchObject({
      MessageId: { string: "mine" },
      n: { string: "1.5" },
      yes: { string: "True" },
      nested: { json: '{"a":1}' },
    });
    expect(metadata).not.toHaveProperty("list");
    expect(metadata).not.toHaveProperty("nothing");
    expect(metadata).not.toHaveProperty("messageId");
  });

  test.each(["[1,2]", '"text"', "{broken", "12"])("takes in nothing of the body %s", (body) => {
    expect(Object.keys(messageMetadata(message(body)))).toHaveLength(3);
  });

  test("of a batch holds one element a message", () => {
    const batch = [
      message("{}", { messageId: "a", subject: "x", applicationProperties: { n: 1 } }),
      message("{}", { messageId: "b", deliveryCount: 1 }),
    ];
    expect(batchMetadata(batch)).toEqual({
      MessageIdArray: { collectionString: { string: ["a", "b"] } },
      DeliveryCountArray: { json: "[1,2]" },
      SubjectArray: { collectionString: { string: ["x"] } },
      LabelArray: { collectionString: { string: ["x"] } },
      ApplicationPropertiesArray: { json: '[{"n":1},{}]' },
      UserPropertiesArray: { json: '[{"n":1},{}]' },
    });
  });
});
