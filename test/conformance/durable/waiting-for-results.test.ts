import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { DurableHost, freshId, type Status } from "../../support/durable-host.ts";

let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterAll(() => app.stop());

describe("a starter that answers with where to ask", () => {
  test("gives addresses that work, at the address it was called by", async () => {
    const id = freshId("links");
    const response = await fetch(`${app.host.url}/api/start/waits/${id}`, {
      method: "POST",
      body: JSON.stringify({ event: "go" }),
    });
    expect(response.status).toBe(202);
    const links = (await response.json()) as Record<string, string>;
    expect(links["id"]).toBe(id);
    expect(response.headers.get("location")).toBe(links["statusQueryGetUri"]);
    expect(
      Object.values(links)
        .slice(1)
        .every((link) => link.startsWith(app.host.url)),
    ).toBe(true);

    const post = async (link: string): Promise<number> =>
      (await fetch((links[link] ?? "").replace("{text}", "r"), { method: "POST" })).status;
    expect((await fetch(links["statusQueryGetUri"] ?? "")).status).toBe(202);
    expect(await post("suspendPostUri")).toBe(202);
    expect(await post("resumePostUri")).toBe(202);
    const event = links["sendEventPostUri"]?.replace("{eventName}", "go") ?? "";
    expect((await fetch(event, { method: "POST", body: '"sent"' })).status).toBe(202);
    await app.finished(id);
    const status = (await (await fetch(links["statusQueryGetUri"] ?? "")).json()) as Status;
    expect(status.output).toBe("sent");
    expect(await post("terminatePostUri")).toBe(410);
    expect(await post("rewindPostUri")).toBe(501);
    expect(await post("restartPostUri")).toBe(202);
    expect((await fetch(links["purgeHistoryDeleteUri"] ?? "", { method: "DELETE" })).status).toBe(200);
    expect((await fetch(links["statusQueryGetUri"] ?? "")).status).toBe(404);
  });

  test("gives the same addresses as the management API", async () => {
    const created = await app.manage("POST", "orchestrators/chain", { names: [] });
    const links = (await created.json()) as Record<string, string>;
    const payload = (await app.client("createHttpManagementPayload", links["id"])) as Record<string, string>;
    expect(Object.keys(payload).toSorted()).toEqual(Object.keys(links).toSorted());
  });
});

describe("a function that waits for an orchestration", () => {
  const wait = (id: string, timeout: number): Promise<Response> =>
    fetch(`${app.host.url}/api/wait/${id}?timeout=${timeout}`);

  test("answers with its output", async () => {
    const id = await app.start("chain", { names: ["Ada"] });
    const response = await wait(id, 5000);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(["hello Ada"]);
  });

  test("answers 500 with its status when it failed", async () => {
    const id = await app.start("throws", { thrown: "bad" });
    const response = await wait(id, 5000);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ runtimeStatus: "Failed" });
  });

  test("answers with where to ask when it takes too long", async () => {
    const id = await app.start("waits", { event: "go" });
    const response = await wait(id, 20);
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ id });
    await app.raise(id, "go");
    await app.finished(id);
  });
});

describe("creating an orchestration and waiting for it", () => {
  test("answers with the output alone when it completes in time", async () => {
    const path = "orchestrators/chain?timeout=10&pollingInterval=1";
    const response = await app.manage("POST", path, { names: ["Ada"] });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(["hello Ada"]);
  });

  test("answers with the status when it fails in time", async () => {
    const path = "orchestrators/throws?timeout=10&pollingInterval=1";
    const response = await app.manage("POST", path, { thrown: "bad" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ runtimeStatus: "Failed" });
  });

  test("answers with where to ask when the time is up", async () => {
    const id = freshId("slow");
    const path = `orchestrators/waits/${id}?timeout=10&pollingInterval=1`;
    const waiting = app.manage("POST", path, { event: "go" });
    await app.host.waitFor(id, (found) => found !== undefined);
    await app.host.advance(10_000);
    const response = await waiting;
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ id });
    await app.raise(id, "go");
    await app.finished(id);
  });
});
