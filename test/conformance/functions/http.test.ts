import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { createHost } from "../../../local/host/host.ts";
import type { LogLine } from "../../../local/host/log.ts";
import { fixtureApp } from "../../support/fixture-app.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";
import { RawConnection } from "../../support/raw-http.ts";

const channel = fixtureChannel();
const lines: LogLine[] = [];
let host: Awaited<ReturnType<typeof createHost>>;

function startHost(settings: Record<string, string> = {}, port = 0): ReturnType<typeof createHost> {
  return createHost({
    scriptRoot: fixtureApp("http"),
    port,
    settings: { ROUTE_NAME: "configured", "AzureWebJobs.off.Disabled": "true", ...settings },
    log: (line: LogLine) => void lines.push(line),
  });
}

beforeAll(async () => {
  host = await startHost({ FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: "2000000" });
});
afterAll(() => host.stop());
afterEach(() => channel.clear());

interface Description {
  readonly functionName: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly params: Record<string, string>;
  readonly query: Record<string, string>;
  readonly body: string;
  readonly traceContext?: { traceParent: string; traceState: string };
  readonly invocationId: string;
}

async function described(path: string, init?: RequestInit): Promise<Description> {
  const response = await fetch(`${host.url}${path}`, init);
  expect(response.status).toBe(200);
  return (await response.json()) as Description;
}

async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const response = await fetch(`${host.url}${path}`, init);
  await response.arrayBuffer();
  return response.status;
}

describe("a request", () => {
  test("reaches the function named in the path, behind the prefix api", async () => {
    const request = await described("/api/describe");
    expect(request).toMatchObject({
      functionName: "describe",
      method: "GET",
      url: `${host.url}/api/describe`,
    });
    expect(request.invocationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("may spell the path in upper or lower case", async () => {
    expect((await described("/API/Describe")).functionName).toBe("describe");
  });

  test("gives route parameters, decoded", async () => {
    expect((await described("/api/items/caf%C3%A9/12")).params).toEqual({ kind: "café", id: "12" });
    expect((await described("/api/items/tea")).params).toEqual({ kind: "tea" });
    expect((await described("/api/files/a/b%20c.txt")).params).toEqual({ path: "a/b c.txt" });
    expect((await described("/api/documents/report.2026.pdf")).params).toEqual({
      name: "report.2026",
      ext: "pdf",
    });
  });

  test("goes to the most particular route, with the defaults of its template", async () => {
    expect(await described("/api/items/special")).toMatchObject({
      functionName: "special",
      params: { id: "7" },
    });
    expect(await described("/api/items/other")).toMatchObject({ functionName: "parameters" });
  });

  test("finds a route that a setting names, and only where its constraint holds", async () => {
    const id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff";
    expect((await described(`/api/configured/${id}`)).params).toEqual({ id });
    expect(await statusOf("/api/configured/7")).toBe(404);
  });

  test("brings its query, values of a repeated key joined by commas", async () => {
    const { query } = await described("/api/describe?a=1&b=x%20y&a=2&empty=");
    expect(query).toEqual({ a: "1,2", b: "x y", empty: "" });
  });

  test("brings its headers in lower case, repeated ones joined and empty ones left out", async () => {
    const connection = new RawConnection(host.url);
    connection.send(
      "GET /api/describe HTTP/1.1",
      "Host: example.test",
      "X-Many: 1",
      "x-many: 2",
      "X-Empty:",
      "Connection: close",
      "",
      "",
    );
    const answer = await connection.closed();
    const { headers, url } = JSON.parse(answer.slice(answer.indexOf("{"))) as Description;
    expect(headers["x-many"]).toBe("1,2");
    expect(headers).not.toHaveProperty("x-empty");
    expect(url).toBe("http://example.test/api/describe");
  });

  test("says in x-forwarded-for where it really came from, after whatever the client claims", async () => {
    const connection = await new RawConnection(host.url).opened();
    const from = `127.0.0.1:${connection.socket.localPort}`;
    const claims = ["X-Forwarded-For: 203.0.113.7", "X-Forwarded-For: 10.0.0.1, 10.0.0.2:443"];
    connection.send("GET /api/describe HTTP/1.1", "Host: x", "", "");
    await connection.until(`"x-forwarded-for":"${from}"`);
    connection.send("GET /api/describe HTTP/1.1", "Host: x", ...claims, "Connection: close", "", "");
    expect(await connection.closed()).toContain(
      `"x-forwarded-for":"203.0.113.7,10.0.0.1, 10.0.0.2:443, ${from}"`,
    );
  });

  test("brings its body byte for byte", async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const response = await fetch(`${host.url}/api/echo`, { method: "POST", body: bytes });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect((await described("/api/describe", { method: "PUT", body: "text" })).body).toBe(
      Buffer.from("text").toString("base64"),
    );
  });

  test("may be as large as the limit", async () => {
    const bytes = Buffer.alloc(2_000_000, 7);
    const response = await fetch(`${host.url}/api/echo`, { method: "POST", body: bytes });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test("that announces a body over the limit gets 413 before it sends it", async () => {
    const connection = new RawConnection(host.url);
    connection.send("POST /api/echo HTTP/1.1", "Host: x", "Content-Length: 2000001", "", "");
    const answer = await connection.until("\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer.toLowerCase()).toContain("connection: close");
    await connection.closed();
  });

  test("that waits to be told to go on is told so, unless its body is too large", async () => {
    const small = new RawConnection(host.url);
    small.send("POST /api/echo HTTP/1.1", "Host: x", "Content-Length: 2", "Expect: 100-continue", "", "");
    expect(await small.until("\r\n\r\n")).toMatch(/^HTTP\/1\.1 100 Continue/);
    small.send("hi");
    expect(await small.until("\r\n\r\nhi")).toContain("HTTP/1.1 200");
    small.socket.destroy();
    const large = new RawConnection(host.url);
    large.send(
      "POST /api/echo HTTP/1.1",
      "Host: x",
      "Content-Length: 3000000",
      "Expect: 100-continue",
      "",
      "",
    );
    expect(await large.until("\r\n\r\n")).toMatch(/^HTTP\/1\.1 413 /);
    large.socket.destroy();
  });

  test("whose body grows over the limit gets 413", async () => {
    const connection = new RawConnection(host.url);
    connection.send("POST /api/echo HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "", "");
    connection.send((2_000_001).toString(16), "x".repeat(2_000_001));
    expect(await connection.until("\r\n\r\n")).toMatch(/^HTTP\/1\.1 413 /);
    connection.socket.destroy();
  });

  test("hands its trace on", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { traceContext } = await described("/api/describe", {
      headers: { traceparent, tracestate: "a=b" },
    });
    expect(traceContext).toMatchObject({ traceParent: traceparent, traceState: "a=b" });
    expect((await described("/api/describe")).traceContext).toBeUndefined();
  });

  test("needs no key, whatever the level of the function", async () => {
    expect(await statusOf("/api/protected")).toBe(200);
  });

  test.each([
    ["an unknown path", "/api/unknown", "GET"],
    ["a path without the prefix", "/describe", "GET"],
    ["a method the function does not take", "/api/echo", "GET"],
    ["a disabled function", "/api/off", "GET"],
    ["a value that breaks a constraint", "/api/items/tea/cold", "GET"],
    ["a path with a segment too many", "/api/describe/more", "GET"],
  ])("to %s gets 404", async (_, path, method) => {
    expect(await statusOf(path, { method })).toBe(404);
  });

  test.each(["/api/items/%zz", "/api/items/%", "/%E0%A4%A"])(
    "to the malformed path %s gets 400",
    async (path) => {
      const connection = new RawConnection(host.url);
      connection.send(`GET ${path} HTTP/1.1`, "Host: x", "Connection: close", "", "");
      expect(await connection.closed()).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  test("of two on one connection is answered in its turn", async () => {
    const connection = new RawConnection(host.url);
    const ask = (path: string): string[] => [`GET ${path} HTTP/1.1`, "Host: x"];
    connection.send(...ask("/api/teapot"), "", ...ask("/api/nothing"), "Connection: close", "", "");
    const statuses = [...(await connection.closed()).matchAll(/HTTP\/1\.1 (\d+)/g)].map(
      ([, status]) => status,
    );
    expect(statuses).toEqual(["418", "200"]);
  });
});

describe("a response", () => {
  test("has the status, headers and body the handler gave", async () => {
    const response = await fetch(`${host.url}/api/teapot`);
    expect(response.status).toBe(418);
    expect(response.headers.get("x-kind")).toBe("earthenware");
    expect(response.headers.get("content-type")).toBe("text/html");
    expect(response.headers.get("content-length")).toBe("22");
    expect(await response.text()).toBe("<p>short and stout</p>");
  });

  test("to a handler that returned nothing is 200 and empty", async () => {
    const response = await fetch(`${host.url}/api/nothing`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });

  test.each(["fail", "text"])("to the handler '%s', which failed, is 500 and empty", async (name) => {
    const response = await fetch(`${host.url}/api/${name}`);
    expect(response.status).toBe(500);
    expect(await response.text()).toBe("");
  });

  test("sets every cookie with all its attributes", async () => {
    const response = await fetch(`${host.url}/api/cookies`);
    expect(response.headers.getSetCookie()).toEqual([
      "plain=a%20b; path=/",
      "full=1; expires=Tue, 14 Nov 2023 22:13:20 GMT; max-age=60; domain=example.com; path=/app; secure; samesite=strict; httponly",
      "cross=2; path=/; samesite=none",
    ]);
  });

  test.each([204, 304])("with status %i has no body", async (status) => {
    const response = await fetch(`${host.url}/api/status/${status}`);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe("");
  });

  test("to HEAD has the headers of the body and not the body", async () => {
    const response = await fetch(`${host.url}/api/head`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-head")).toBe("1");
    expect(response.headers.get("content-length")).toBe("12");
    expect(await statusOf("/api/describe", { method: "HEAD" })).toBe(404);
  });

  test("that nobody waits for any more harms nobody", async () => {
    channel.hold("held");
    const connection = new RawConnection(host.url);
    connection.send("GET /api/held HTTP/1.1", "Host: x", "", "");
    await channel.reports("held");
    connection.socket.destroy();
    channel.release("held");
    await channel.reports("released");
    await host.idle();
    expect(await statusOf("/api/nothing")).toBe(200);
  });

  test("is not needed by a client that leaves while it sends", async () => {
    const connection = await new RawConnection(host.url).opened();
    connection.send("POST /api/echo HTTP/1.1", "Host: x", "Content-Length: 1000", "", "part of it");
    connection.socket.destroy();
    await connection.closed();
    expect(await statusOf("/api/nothing")).toBe(200);
  });
});

describe("a retry policy on an HTTP function", () => {
  test("is ignored, and the log says so once", async () => {
    expect(await statusOf("/api/retried")).toBe(500);
    expect(channel.reported("retried")).toHaveLength(1);
    const warnings = lines.filter(
      ({ level, message }) => level === "Warning" && message.includes("'retried'"),
    );
    expect(warnings).toHaveLength(1);
  });
});

describe("the management API", () => {
  async function json(path: string): Promise<unknown> {
    const response = await fetch(`${host.url}${path}`);
    expect(response.status).toBe(200);
    return response.json();
  }

  test("tells that the host runs", async () => {
    expect(await json("/admin/host/status")).toMatchObject({
      id: expect.any(String) as string,
      state: "Running",
      version: expect.stringMatching(/^4\./) as string,
      processUptime: expect.any(Number) as number,
    });
    expect(await statusOf("/admin/host/ping")).toBe(200);
    expect(await statusOf("/admin/host/ping", { method: "POST" })).toBe(200);
  });

  test("lists the functions with their bindings and addresses", async () => {
    const functions = (await json("/admin/functions")) as { name: string; isDisabled: boolean }[];
    expect(functions.map(({ name }) => name)).toContain("clockwork");
    expect(functions.filter(({ isDisabled }) => isDisabled).map(({ name }) => name)).toEqual(["off"]);
    expect(await json("/admin/functions/Parameters")).toMatchObject({
      name: "parameters",
      invoke_url_template: `${host.url}/api/items/{kind}/{id:int?}`,
      isDisabled: false,
      config: {
        bindings: [
          { type: "httpTrigger", direction: "in" },
          { type: "http", name: "$return" },
        ],
      },
    });
  });

  test("starts a function by hand", async () => {
    const init = { method: "POST", body: '{"input":"now"}' };
    expect(await statusOf("/admin/functions/clockwork", init)).toBe(202);
    const [timer] = await channel.reports("clockwork");
    expect(timer).toMatchObject({ isPastDue: false });
  });

  test.each([
    ["/admin/functions/unknown", "POST", "{}", 404],
    ["/admin/functions/unknown", "GET", undefined, 404],
    ["/admin/functions/clockwork", "POST", "{not json", 400],
    ["/admin/functions/clockwork", "POST", '"text"', 400],
    ["/admin/functions/clockwork", "DELETE", undefined, 404],
    ["/admin/unknown", "GET", undefined, 404],
    ["/admin/functions/clockwork/keys", "GET", undefined, 404],
  ])("answers %s %s %s with %i", async (path, method, body, status) => {
    expect(await statusOf(path, { method, ...(body !== undefined && { body }) })).toBe(status);
  });

  test("has a home page", async () => {
    const response = await fetch(host.url);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("Your Functions app is up and running");
  });
});

describe("a second host", () => {
  test("on the same port does not start and says what to do", async () => {
    const port = Number(new URL(host.url).port);
    await expect(startHost({}, port)).rejects.toThrow(
      `Port ${port} is taken: stop what listens there, or choose another with --port`,
    );
  });

  test("with the home page switched off answers 204 there", async () => {
    const other = await startHost({ AzureWebJobsDisableHomepage: "true" });
    const response = await fetch(other.url);
    expect(response.status).toBe(204);
    await other.stop();
  });

  test("that stops lets running requests end and refuses the others", async () => {
    const other = await startHost();
    channel.hold("held");
    const running = new RawConnection(other.url);
    running.send("GET /api/held HTTP/1.1", "Host: x", "", "");
    await channel.reports("held");
    let stopped = false;
    const stopping = other.stop().then(() => {
      stopped = true;
    });
    let refusal = await fetch(`${other.url}/api/nothing`);
    while (refusal.status === 200) refusal = await fetch(`${other.url}/api/nothing`);
    expect(refusal.status).toBe(503);
    expect(refusal.headers.get("connection")).toBe("close");
    expect(stopped).toBe(false);
    channel.release("held");
    expect(await running.closed()).toMatch(/^HTTP\/1\.1 200 [^]*let go$/);
    await stopping;
    await expect(fetch(other.url)).rejects.toThrow("fetch failed");
  });
});
