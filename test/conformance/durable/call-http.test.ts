import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { DurableHost } from "../../support/durable-host.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly at: number;
}

let app: DurableHost;
let server: Server;
let origin: string;
let seen: Seen[] = [];
let pollsLeft = 0;

beforeAll(async () => {
  app = await DurableHost.open();
  server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  seen = [];
});
afterAll(async () => {
  await app.stop();
  server.close();
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method, url, headers } = request;
  seen.push({ method, url, headers, body: Buffer.concat(chunks).toString(), at: app.clock.now() });
  if (url === "/slow" || (url === "/progress" && pollsLeft > 0)) {
    pollsLeft -= 1;
    const retry = pollsLeft > 0 ? { "retry-after": "15" } : {};
    response.writeHead(202, { location: `${origin}/progress`, ...retry }).end();
  } else if (url === "/missing") {
    response.writeHead(404, { "content-type": "text/plain" }).end("nothing here");
  } else {
    response.writeHead(200, { "content-type": "text/plain" }).end(`${method} ${url}`);
  }
}

describe("callHttp", () => {
  test("sends what it is told to and gives back what is answered", async () => {
    const { output } = await app.run("calls-http", {
      method: "POST",
      url: `${origin}/orders?x=1`,
      body: { order: 7 },
      headers: { "x-key": "k", "content-type": "application/json" },
    });
    expect(output).toEqual({
      statusCode: 200,
      content: "POST /orders?x=1",
      type: "text/plain",
      after: "after",
    });
    expect(seen).toMatchObject([{ method: "POST", body: '{"order":7}', headers: { "x-key": "k" } }]);
  });

  test("takes any answer for a result", async () => {
    const { output } = await app.run("calls-http", { method: "GET", url: `${origin}/missing` });
    expect(output).toMatchObject({ statusCode: 404, content: "nothing here" });
  });

  test("asks again where and when a 202 says, until there is an answer", async () => {
    pollsLeft = 3;
    const begun = app.clock.now();
    const id = await app.start("calls-http", {
      method: "POST",
      url: `${origin}/slow`,
      body: "start",
      headers: { "x-key": "k", "x-functions-key": "secret" },
    });
    await app.host.advance(15_000 - 1);
    expect(seen).toHaveLength(1);
    await app.host.advance(120_000);
    expect((await app.finished(id)).output).toMatchObject({ statusCode: 200, content: "GET /progress" });
    // Twice after the 15 seconds it was told, and once after the 30 that count when it is told nothing.
    expect(seen.map(({ at }) => at - begun)).toEqual([0, 15_000, 30_000, 60_000]);
    expect(seen.map(({ method, body }) => [method, body])).toEqual([
      ["POST", "start"],
      ["GET", ""],
      ["GET", ""],
      ["GET", ""],
    ]);
    expect(seen.map(({ headers }) => [headers["x-key"], headers["x-functions-key"]])).toEqual([
      ["k", "secret"],
      ["k", undefined],
      ["k", undefined],
      ["k", undefined],
    ]);
  });

  test("that is told not to poll takes a 202 as it is", async () => {
    pollsLeft = 1;
    const { output } = await app.run("calls-http", {
      method: "GET",
      url: `${origin}/slow`,
      enablePolling: false,
    });
    expect(output).toMatchObject({ statusCode: 202 });
    expect(seen).toHaveLength(1);
  });

  test("that gets no answer fails, and says why", async () => {
    const closed = createServer().listen(0, "127.0.0.1");
    await once(closed, "listening");
    const url = `http://127.0.0.1:${(closed.address() as AddressInfo).port}/`;
    closed.close();
    await once(closed, "close");
    const { output } = await app.run("calls-http-and-catches", { method: "GET", url });
    expect(output).toEqual([expect.stringContaining("ECONNREFUSED"), "caught"]);
    expect((output as string[])[0]).toContain(url);
  });

  test("with a managed identity fails, and says that there is none", async () => {
    const { output } = await app.run("calls-http-and-catches", {
      method: "GET",
      url: origin,
      tokenSource: { resource: "https://management.core.windows.net", kind: "AzureManagedIdentity" },
    });
    expect(output).toEqual([expect.stringContaining("managed identity needs Azure"), "caught"]);
  });

  test("can be made several times side by side", async () => {
    const { output } = await app.run(
      "calls-http-side-by-side",
      ["a", "b", "c"].map((path) => ({ method: "GET", url: `${origin}/${path}` })),
    );
    expect(output).toEqual([["GET /a", "GET /b", "GET /c"], "after"]);
  });

  test("that polls side by side with another is refused, for the platform would mix the two up", async () => {
    pollsLeft = 1;
    const id = await app.start(
      "calls-http-side-by-side",
      ["slow", "slow"].map((path) => ({ method: "GET", url: `${origin}/${path}` })),
    );
    await app.host.advance(120_000);
    const status = await app.status(id);
    expect(status.runtimeStatus).toBe("Failed");
    expect(status.output).toContain("would be corrupted on Azure");
  });
});
