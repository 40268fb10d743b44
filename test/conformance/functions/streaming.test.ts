import { request as httpRequest } from "node:http";

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { createHost } from "../../../local/host/host.ts";
import { fixtureApp } from "../../support/fixture-app.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";
import { RawConnection } from "../../support/raw-http.ts";

const channel = fixtureChannel();
let host: Awaited<ReturnType<typeof createHost>>;

beforeAll(async () => {
  host = await createHost({
    scriptRoot: fixtureApp("streaming"),
    port: 0,
    settings: { FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: "21000000" },
    log: () => {},
  });
});
afterAll(() => host.stop());
afterEach(() => channel.clear());

describe("a streamed request", () => {
  test("brings method, address, headers, parameters, query, body and trace", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const response = await fetch(`${host.url}/api/describe/caf%C3%A9?a=1&a=2`, {
      method: "POST",
      body: "text",
      headers: { "x-one": "1", traceparent },
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({
      method: "POST",
      url: `${host.url}/api/describe/caf%C3%A9?a=1&a=2`,
      headers: {
        "x-one": "1",
        "content-type": "text/plain;charset=UTF-8",
        "x-forwarded-for": expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string,
      },
      params: { kind: "café" },
      query: [
        ["a", "1"],
        ["a", "2"],
      ],
      body: "text",
      traceContext: { traceParent: traceparent },
    });
  });

  test("needs no body", async () => {
    const response = await fetch(`${host.url}/api/describe/x`);
    expect(await response.json()).toMatchObject({ method: "GET", body: "" });
  });

  test("reaches the handler part by part", async () => {
    const { hostname, port } = new URL(host.url);
    const request = httpRequest({ hostname, port, path: "/api/drink", method: "POST" });
    const answered = new Promise<number | undefined>((resolve) => {
      request.on("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    request.write("one");
    expect(await channel.reports("drunk", 1)).toEqual([3]);
    request.write("two");
    expect(await channel.reports("drunk", 2)).toEqual([3, 6]);
    request.end();
    expect(await answered).toBe(200);
  });

  test("that the client gives up fails in the handler, and the host goes on", async () => {
    const connection = new RawConnection(host.url);
    connection.send("POST /api/drink HTTP/1.1", "Host: x", "Content-Length: 100", "", "part of it");
    await channel.reports("drunk");
    connection.socket.destroy();
    await channel.reports("choked");
    await host.idle();
    expect((await fetch(`${host.url}/api/describe/x`)).status).toBe(201);
  });

  test("over the limit gets 413", async () => {
    const announced = new RawConnection(host.url);
    announced.send("POST /api/echo HTTP/1.1", "Host: x", "Content-Length: 21000001", "", "");
    expect(await announced.until("\r\n\r\n")).toMatch(/^HTTP\/1\.1 413 /);
    announced.socket.destroy();
    const growing = new RawConnection(host.url);
    growing.send("POST /api/drink HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "", "");
    growing.send((21_000_001).toString(16), "x".repeat(21_000_001));
    expect(await growing.until("\r\n\r\n")).toMatch(/^HTTP\/1\.1 413 /);
    await channel.reports("choked");
    growing.socket.destroy();
    await host.idle();
  });

  test("that matches no route gets 404", async () => {
    expect((await fetch(`${host.url}/api/unknown`)).status).toBe(404);
    expect((await fetch(`${host.url}/api/echo`)).status).toBe(404);
  });
});

describe("a streamed response", () => {
  test("has the handler's headers and cookies, and not the library's own header", async () => {
    const response = await fetch(`${host.url}/api/describe/x`);
    expect(response.headers.get("x-kind")).toBe("x");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2; HttpOnly"]);
    expect(response.headers.has("x-ms-invocation-id")).toBe(false);
  });

  test("reaches the client part by part", async () => {
    channel.hold("drip");
    const response = await fetch(`${host.url}/api/drip`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect(await reader?.read()).toMatchObject({ value: "first\n" });
    channel.release("drip");
    expect(await reader?.read()).toMatchObject({ value: "second\n" });
    expect(await reader?.read()).toMatchObject({ done: true });
  });

  test("carries megabytes in both directions unharmed", async () => {
    const bytes = Buffer.alloc(20_000_000, "0123456789abcdef");
    const response = await fetch(`${host.url}/api/echo`, { method: "POST", body: bytes });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test.each(["GET", "POST"])("to a %s handler that failed is 500 and empty", async (method) => {
    const response = await fetch(`${host.url}/api/fail`, {
      method,
      ...(method === "POST" && { body: "text" }),
    });
    expect(response.status).toBe(500);
    expect(await response.text()).toBe("");
  });

  test("that breaks off half-way breaks off for the client too", async () => {
    channel.hold("break");
    const response = await fetch(`${host.url}/api/break`);
    expect(response.status).toBe(200);
    channel.release("break");
    await expect(response.text()).rejects.toThrow("terminated");
  });

  test("to a handler that returned nothing is 200 and empty", async () => {
    const response = await fetch(`${host.url}/api/nothing`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });

  test("to HEAD has headers only", async () => {
    const response = await fetch(`${host.url}/api/head`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-head")).toBe("1");
  });

  test("that the client no longer wants ends, and the host goes on", async () => {
    channel.hold("drip");
    const connection = new RawConnection(host.url);
    connection.send("GET /api/drip HTTP/1.1", "Host: x", "", "");
    await connection.until("first");
    connection.socket.destroy();
    await connection.closed();
    channel.release("drip");
    await host.idle();
    expect((await fetch(`${host.url}/api/describe/x`)).status).toBe(201);
  });
});
