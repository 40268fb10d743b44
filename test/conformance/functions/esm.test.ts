import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHost } from "../../../local/host/host.ts";
import type { LogLine } from "../../../local/host/log.ts";
import { fixtureApp } from "../../support/fixture-app.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

const channel = fixtureChannel();
const lines: LogLine[] = [];
let host: Awaited<ReturnType<typeof createHost>>;

beforeAll(async () => {
  host = await createHost({
    scriptRoot: fixtureApp("esm"),
    port: 0,
    log: (line: LogLine) => void lines.push(line),
  });
});
afterAll(() => host.stop());

describe("an app of ES modules", () => {
  test("runs behind the route prefix of its host.json", async () => {
    const response = await fetch(`${host.url}/v1/things/greet/Ada`);
    expect(await response.json()).toEqual({ hello: "Ada" });
    expect((await fetch(`${host.url}/api/greet/Ada`)).status).toBe(404);
  });

  test("has its hooks called around every invocation", async () => {
    await fetch(`${host.url}/v1/things/greet/Bob`);
    const reports = await channel.reports("hooks");
    expect(reports.at(-1)).toEqual({ before: 1 });
    expect(channel.reported("app")).toEqual(["started"]);
  });

  test("may change an outcome in a hook", async () => {
    expect((await fetch(`${host.url}/v1/things/forgiven`)).status).toBe(202);
  });

  test("may change its log lines in a hook", async () => {
    await fetch(`${host.url}/v1/things/greet/Cyd`);
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: "Warning",
        category: "Function.greet.User",
        message: "hooked: greets Cyd",
        invocationId: expect.any(String) as string,
      }),
    );
  });
});
