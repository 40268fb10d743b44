import { describe, expect, test } from "vitest";

import { connectionStringOf } from "../../../local/host/service-bus/connection.ts";
import { messagesOf } from "../../../local/host/service-bus/outputs.ts";
import type { TypedData } from "../../../local/host/worker/typed-data.ts";

function texts(data: TypedData): string[] {
  return messagesOf(data).map(({ body }) => Buffer.from(body as Uint8Array).toString("utf8"));
}

describe("a Service Bus output", () => {
  test.each<[TypedData, string[]]>([
    [{ string: "hello" }, ["hello"]],
    [{ string: '{"a":1}' }, ['{"a":1}']],
    [{ json: '{"a":1}' }, ['{"a":1}']],
    [{ json: '[{"a":1},"b",3,[4],null]' }, ['{"a":1}', "b", "3", "[4]"]],
    [{ string: ' ["a","b"]' }, ["a", "b"]],
    [{ string: "[not json" }, ["[not json"]],
    [{ string: "" }, [""]],
    [{ json: "[]" }, []],
    [{ json: "true" }, ["true"]],
    [{ int: 7 }, ["7"]],
    [{ double: 1.5 }, ["1.5"]],
    [{}, []],
  ])("%j is sent as %j", (data, messages) => {
    expect(texts(data)).toEqual(messages);
  });

  test("bytes are sent as they are", () => {
    const [message] = messagesOf({ bytes: new Uint8Array([0, 255]) });
    expect(message).toEqual({ body: Buffer.from([0, 255]), contentType: "application/octet-stream" });
  });
});

describe("the connection of a binding", () => {
  const binding = { type: "serviceBus", name: "out", direction: "out", connection: "Bus" } as const;

  test("is the setting of that name, with or without the platform's prefix", () => {
    expect(connectionStringOf("f", binding, { Bus: "Endpoint=a" })).toBe("Endpoint=a");
    expect(connectionStringOf("f", binding, { AzureWebJobsBus: "Endpoint=b" })).toBe("Endpoint=b");
  });

  test("that is missing stops the host and names the setting", () => {
    expect(() => connectionStringOf("f", binding, {})).toThrow("Function 'f': setting Bus is missing");
  });

  test("by identity is refused, because a local server knows none", () => {
    const settings = { Bus__fullyQualifiedNamespace: "x.servicebus.windows.net" };
    expect(() => connectionStringOf("f", binding, settings)).toThrow(
      "this host needs a connection string in Bus, for the local server",
    );
  });
});
