import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  createServer as createTcpServer,
  type AddressInfo,
  type LookupFunction,
  type Server,
} from "node:net";

import { afterEach, describe, expect, test } from "vitest";

import {
  createOutboundClient,
  type OutboundClient,
  type OutboundOptions,
} from "../../../shared/outbound/client.ts";
import { SendError } from "../../../shared/outbound/send-error.ts";
import { sendRequest, type OutboundAnswer } from "../../../shared/outbound/send-request.ts";
import { startSink } from "../../support/sink.ts";
import { selfSigned } from "./self-signed.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

const loopback = "127.0.0.0/8,::1/128";

function clientWith(allow?: string, options: OutboundOptions = {}): OutboundClient {
  const client = createOutboundClient({ OUTBOUND_ALLOW: allow }, options);
  cleanups.push(() => client.close());
  return client;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serving(listener: RequestListener): Promise<string> {
  const server = createHttpServer(listener);
  cleanups.push(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listening(server)}`;
}

async function sink(): ReturnType<typeof startSink> {
  const started = await startSink();
  cleanups.push(() => started.stop());
  return started;
}

const post = (client: OutboundClient, url: string, timeoutMs = 5_000): Promise<OutboundAnswer> =>
  sendRequest(client, { method: "POST", url: new URL(url), headers: {}, body: "{}" }, { timeoutMs });

async function failure(call: Promise<unknown>): Promise<{ code: string; sent: boolean }> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SendError)) throw new Error("No SendError was thrown.", { cause: error });
  return { code: error.code, sent: error.sent };
}

/** Answers each time with the next list of addresses, the last one for good. */
function namesResolveTo(...answers: string[][]): LookupFunction & { asked: string[] } {
  const asked: string[] = [];
  const lookup: LookupFunction = (hostname, _, callback) => {
    asked.push(hostname);
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    process.nextTick(() => callback(null, found));
  };
  return Object.assign(lookup, { asked });
}

describe("an answer", () => {
  test("comes with status, headers and body", async () => {
    const vendor = await sink();
    vendor.reply("/a", { status: 201, headers: { "x-id": "7", "set-cookie": "a=1" }, body: { é: "ü" } });
    const answer = await post(clientWith(loopback), `${vendor.url}/a?q=1`);
    expect(answer).toMatchObject({ status: 201, bodyText: '{"é":"ü"}', cut: false });
    expect(answer.headers).toMatchObject({ "x-id": "7", "content-type": "application/json" });
    expect(vendor.requests).toMatchObject([{ method: "POST", url: "/a?q=1", body: "{}" }]);
  });

  test("leaves its connection to the next request", async () => {
    let connections = 0;
    const server = createHttpServer((_, response) => response.end());
    server.on("connection", () => connections++);
    cleanups.push(() => server.closeAllConnections());
    const port = await listening(server);
    const client = clientWith(loopback);
    for (let count = 0; count < 5; count++) await post(client, `http://127.0.0.1:${port}/`);
    expect(connections).toBeLessThan(3);
  });

  test("that is a redirect is an answer, and nobody goes there", async () => {
    const vendor = await sink();
    vendor.reply("/go", { status: 302, headers: { location: `${vendor.url}/internal` } });
    expect(await post(clientWith(loopback), `${vendor.url}/go`)).toMatchObject({
      status: 302,
      headers: { location: `${vendor.url}/internal` },
    });
    expect(vendor.requests.map(({ path }) => path)).toEqual(["/go"]);
  });

  test("that is huge is read to a limit, and the rest refused", async () => {
    const url = await serving((_, response) => {
      response.on("error", () => {});
      const chunk = "x".repeat(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", more);
      more();
    });
    const answer = await post(clientWith(loopback), url);
    expect(answer).toMatchObject({ status: 200, cut: true });
    expect(answer.bodyText).toHaveLength(256 * 1024);
  });

  test("LED-04: stands although its body breaks off", async () => {
    const url = await serving((_, response) => {
      response.writeHead(201, { "content-length": "100" });
      response.write('{"id":', () => response.destroy());
    });
    expect(await post(clientWith(loopback), url)).toMatchObject({
      status: 201,
      bodyText: '{"id":',
      cut: true,
    });
  });

  test("LED-04: stands although its body drips on beyond the deadline", async () => {
    const url = await serving((_, response) => {
      response.writeHead(200);
      response.write("a");
    });
    expect(await post(clientWith(loopback), url, 300)).toMatchObject({
      status: 200,
      bodyText: "a",
      cut: true,
    });
  });

  test("that is announced by an interim one is waited for", async () => {
    const url = await serving((_, response) => {
      response.writeProcessing();
      response.writeHead(202);
      response.end("later");
    });
    expect(await post(clientWith(loopback), url)).toMatchObject({ status: 202, bodyText: "later" });
  });
});

describe("no answer: whether the request may have arrived (LED-04)", () => {
  test("dropped after it was received: it may", async () => {
    const vendor = await sink();
    vendor.reply("/a", { end: "drop" });
    expect((await failure(post(clientWith(loopback), `${vendor.url}/a`))).sent).toBe(true);
    expect(vendor.effects("/a")).toHaveLength(1);
  });

  test("no answer in time: it may", async () => {
    const vendor = await sink();
    vendor.reply("/a", { end: "hang" });
    expect(await failure(post(clientWith(loopback), `${vendor.url}/a`, 200))).toEqual({
      code: "TIMEOUT",
      sent: true,
    });
  });

  test("an answer that is no HTTP: it may", async () => {
    const server = createTcpServer((socket) => socket.once("data", () => socket.end("SSH-2.0-OpenSSH\r\n")));
    const port = await listening(server);
    expect((await failure(post(clientWith(loopback), `http://127.0.0.1:${port}`))).sent).toBe(true);
  });

  test("nobody listens: it has not", async () => {
    const server = createTcpServer();
    const port = await listening(server);
    server.close();
    await once(server, "close");
    expect(await failure(post(clientWith(loopback), `http://127.0.0.1:${port}`))).toEqual({
      code: "ECONNREFUSED",
      sent: false,
    });
  });

  test("no such name: it has not", async () => {
    const lookup: LookupFunction = (_, __, callback) =>
      callback(Object.assign(new Error("not found"), { code: "ENOTFOUND" }), []);
    expect(await failure(post(clientWith("", { lookup }), "https://vendor.example/"))).toEqual({
      code: "ENOTFOUND",
      sent: false,
    });
  });

  test("the name server is silent: it has not", async () => {
    const lookup: LookupFunction = () => {};
    expect(await failure(post(clientWith("", { lookup }), "https://vendor.example/", 100))).toEqual({
      code: "TIMEOUT",
      sent: false,
    });
  });

  test("the connection is not answered in its time: it has not", async () => {
    const lookup: LookupFunction = () => {};
    const client = clientWith("", { lookup, connectTimeoutMs: 50 });
    expect(await failure(post(client, "https://vendor.example/"))).toEqual({
      code: "UND_ERR_CONNECT_TIMEOUT",
      sent: false,
    });
  });

  test("a header that cannot be sent: it has not", async () => {
    const vendor = await sink();
    const request = { method: "POST", url: new URL(vendor.url), headers: { "x-a": "a\nb" } };
    expect(await failure(sendRequest(clientWith(loopback), request, { timeoutMs: 1_000 }))).toEqual({
      code: "UND_ERR_INVALID_ARG",
      sent: false,
    });
  });

  test("given up in line for a connection: it has not, and is never sent later", async () => {
    const held: (() => void)[] = [];
    let open = false;
    let received = 0;
    const url = await serving((_, response) => {
      received++;
      if (open) response.end();
      else held.push(() => response.end());
    });
    const client = clientWith(loopback);
    const line = Array.from({ length: 128 }, () => post(client, url));
    expect(await failure(post(client, url, 300))).toEqual({ code: "TIMEOUT", sent: false });
    open = true;
    for (const release of held) release();
    await Promise.all(line);
    await post(client, url);
    expect(received).toBe(129);
  });
});

describe("the guard (DLV-07)", () => {
  test.each([
    "http://127.0.0.1",
    "http://2130706433",
    "http://0x7f000001",
    "http://0177.0.0.1",
    "http://127.1",
    "http://[::ffff:127.0.0.1]",
    "http://0.0.0.0",
    "http://localhost",
  ])("lets nothing go to %s", async (base) => {
    const vendor = await sink();
    const { port } = new URL(vendor.url);
    expect(await failure(post(clientWith(), `${base}:${port}/`))).toEqual({
      code: "ADDRESS_BLOCKED",
      sent: false,
    });
    expect(vendor.requests).toEqual([]);
  });

  test("refuses a name that resolves to a private address", async () => {
    const vendor = await sink();
    const lookup = namesResolveTo(["127.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254", "10.0.0.1"]);
    const client = clientWith("", { lookup });
    const { port } = new URL(vendor.url);
    for (let count = 0; count < 3; count++) {
      expect(await failure(post(client, `https://vendor.example:${port}/`))).toEqual({
        code: "ADDRESS_BLOCKED",
        sent: false,
      });
    }
    expect(vendor.requests).toEqual([]);
  });

  test("connects to the address it has looked at, and resolves no second time", async () => {
    const vendor = await sink();
    const lookup = namesResolveTo(["127.0.0.1"], ["10.0.0.1"]);
    const { port } = new URL(vendor.url);
    await post(clientWith("127.0.0.1", { lookup }), `http://vendor.example:${port}/`);
    expect(lookup.asked).toEqual(["vendor.example"]);
    expect(vendor.requests.map(({ headers }) => headers["host"])).toEqual([`vendor.example:${port}`]);
  });

  test("leaves only the open ones of several addresses", async () => {
    const vendor = await sink();
    const lookup = namesResolveTo(["10.0.0.1", "127.0.0.1", "192.168.1.1"]);
    const { port } = new URL(vendor.url);
    const client = clientWith("127.0.0.1", { lookup });
    expect(await post(client, `http://vendor.example:${port}/`)).toMatchObject({ status: 200 });
  });

  test("wants https for the public", async () => {
    const client = clientWith("", { lookup: namesResolveTo(["93.184.216.34"]) });
    expect(await failure(post(client, "http://vendor.example/"))).toEqual({
      code: "HTTPS_REQUIRED",
      sent: false,
    });
  });
});

describe("https", () => {
  const day = 86_400_000;
  const current = { from: new Date(Date.now() - day), to: new Date(Date.now() + day) };

  async function secure(certificate: {
    key: string;
    cert: string;
  }): Promise<{ port: number; names: unknown[] }> {
    const names: unknown[] = [];
    const server = createHttpsServer(certificate, (request, response) => {
      names.push(request.headers.host, "servername" in request.socket ? request.socket.servername : "");
      response.end("secure");
    });
    server.on("tlsClientError", () => {});
    cleanups.push(() => server.closeAllConnections());
    return { port: await listening(server), names };
  }

  const lookup = namesResolveTo(["127.0.0.1"]);

  test("speaks to the looked-at address in the name of the host", async () => {
    const certificate = selfSigned("vendor.example", current);
    const { port, names } = await secure(certificate);
    const client = clientWith(loopback, { lookup, ca: certificate.cert });
    expect(await post(client, `https://vendor.example:${port}/`)).toMatchObject({ bodyText: "secure" });
    expect(names).toEqual([`vendor.example:${port}`, "vendor.example"]);
  });

  test.each([
    ["nobody vouches for", "vendor.example", current, false, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["is of another host", "other.example", current, true, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["has run out", "vendor.example", { from: new Date(0), to: new Date(day) }, true, "CERT_HAS_EXPIRED"],
  ])("refuses a certificate that %s", async (_, hostname, validity, trusted, code) => {
    const certificate = selfSigned(hostname, validity);
    const { port, names } = await secure(certificate);
    const client = clientWith(loopback, { lookup, ...(trusted ? { ca: certificate.cert } : {}) });
    expect(await failure(post(client, `https://vendor.example:${port}/`))).toEqual({ code, sent: false });
    expect(names).toEqual([]);
  });
});
