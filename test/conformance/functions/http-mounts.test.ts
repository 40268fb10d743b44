import { afterEach, describe, expect, test } from "vitest";

import type { HttpMount } from "../../../local/host/host-context.ts";
import { createHttpServer, type HttpServer } from "../../../local/host/http/server.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";
import { stubContext } from "../../support/stub-context.ts";

const channel = fixtureChannel();
let server: HttpServer;

afterEach(async () => {
  channel.clear();
  await server.stop();
});

const mount: HttpMount = {
  prefix: "/runtime/webhooks/hub",
  handle(request, response) {
    if (request.url?.endsWith("/broken") === true) return Promise.reject(new Error("on purpose"));
    response.end(`mount ${request.url}`);
    return Promise.resolve();
  },
};

async function start(handlers: Parameters<typeof stubContext>[0]): Promise<void> {
  server = await createHttpServer(stubContext(handlers), {
    port: 0,
    mounts: [mount],
    capabilities: {},
    fire: () => Promise.resolve(),
    status: () => ({ hub: "Stub" }),
  });
}

async function get(path: string): Promise<{ status: number; body: string }> {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, body: await response.text() };
}

describe("a mount of the HTTP server", () => {
  test("answers everything at and below its path, and nothing beside it", async () => {
    await start({});
    expect(await get("/runtime/webhooks/hub")).toEqual({ status: 200, body: "mount /runtime/webhooks/hub" });
    expect((await get("/Runtime/webhooks/HUB/x?y=1")).body).toBe("mount /Runtime/webhooks/HUB/x?y=1");
    expect((await get("/runtime/webhooks/hubble")).status).toBe(404);
  });

  test("that fails answers 500", async () => {
    await start({});
    expect(await get("/runtime/webhooks/hub/broken")).toEqual({ status: 500, body: "" });
  });

  test("adds to what the host tells about itself", async () => {
    await start({});
    expect(JSON.parse((await get("/admin/host/status")).body)).toMatchObject({
      state: "Running",
      hub: "Stub",
    });
  });

  test("still serves a function that runs when the server stops, so that it can come to its end", async () => {
    await start({
      caller: async () => {
        channel.report("called");
        await channel.pass("caller");
        return { statusCode: "200", body: { string: (await get("/runtime/webhooks/hub/late")).body } };
      },
    });
    channel.hold("caller");
    const answer = get("/caller");
    await channel.reports("called");
    const stopping = server.stop();
    expect((await get("/caller")).status).toBe(503);
    channel.release("caller");
    expect(await answer).toEqual({ status: 200, body: "mount /runtime/webhooks/hub/late" });
    await stopping;
  });
});

describe("the routes of the HTTP server", () => {
  test("are told with their addresses", async () => {
    await start({ hello: () => Promise.resolve({}) });
    expect(server.routes()).toEqual([{ name: "hello", methods: [], url: `${server.url}/hello` }]);
    expect(new URL(server.url).port).toBe(String(server.port));
  });
});
