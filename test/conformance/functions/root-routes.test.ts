import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHost } from "../../../local/host/host.ts";
import { fixtureApp } from "../../support/fixture-app.ts";

let host: Awaited<ReturnType<typeof createHost>>;

beforeAll(async () => {
  host = await createHost({ scriptRoot: fixtureApp("root-routes"), port: 0, log: () => {} });
});
afterAll(() => host.stop());

async function textOf(path: string, method = "GET"): Promise<string> {
  return (await fetch(`${host.url}${path}`, { method })).text();
}

describe("an app without a route prefix", () => {
  test("has its routes at the root", async () => {
    expect(await textOf("/pages/7")).toBe("page 7");
  });

  test("may catch everything else, but not the management API", async () => {
    expect(await textOf("/a/b/c", "POST")).toBe("rest a/b/c");
    expect(await textOf("/", "POST")).toBe("rest undefined");
    expect(
      (await fetch(`${host.url}/admin/host/ping`, { method: "POST" })).headers.get("content-length"),
    ).toBe("0");
  });

  test("keeps the home page where no route answers", async () => {
    expect(await textOf("/")).toContain("Your Functions app is up and running");
  });
});
