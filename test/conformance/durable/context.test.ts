import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { DurableHost } from "../../support/durable-host.ts";
import { fixtureApp } from "../../support/fixture-app.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

interface Observed {
  readonly point: number;
  readonly isReplaying: boolean;
  readonly now: string;
  readonly guids: readonly string[];
}

const channel = fixtureChannel();
let app: DurableHost;

beforeAll(async () => {
  app = await DurableHost.open();
});
afterEach(() => channel.clear());
afterAll(() => app.stop());

describe("the custom status", () => {
  test("can be seen while the orchestration runs, and stays when it has finished", async () => {
    const id = await app.start("shows-status", { statuses: [{ step: 1 }, "second", [3]] });
    for (const [index, expected] of [{ step: 1 }, "second", [3]].entries()) {
      await app.host.idle();
      expect(await app.status(id)).toMatchObject({ runtimeStatus: "Running", customStatus: expected });
      await app.raise(id, `next-${index}`);
    }
    expect((await app.finished(id)).customStatus).toEqual([3]);
  });

  test("that is empty does not replace the one before, for the SDK does not send it", async () => {
    const id = await app.start("shows-status", { statuses: ["something", null] });
    await app.raise(id, "next-0");
    await app.host.idle();
    expect((await app.status(id)).customStatus).toBe("something");
    await app.raise(id, "next-1");
    await app.finished(id);
  });

  test("may be as long as the platform allows and no longer", async () => {
    const fits = await app.run("long-status", { length: 8 * 1024 - 2 });
    expect(fits.runtimeStatus).toBe("Completed");
    const tooLong = await app.run("long-status", { length: 8 * 1024 - 1 });
    expect(tooLong.runtimeStatus).toBe("Failed");
    expect(tooLong.output).toContain("custom status is longer than the 16 KB");
  });
});

describe("an orchestrator's context", () => {
  test("says at every replay what it said the first time", async () => {
    const begun = app.clock.now();
    const id = await app.start("observed");
    await app.host.advance(3000);
    const { output } = await app.finished(id);
    const observed = channel.reported(id) as Observed[];
    expect(observed.map(({ point }) => point)).toEqual([0, 0, 1, 0, 1, 2, 0, 1, 2, 3]);
    for (const { point, now, guids } of observed) {
      expect(Date.parse(now)).toBe(begun + point * 1000);
      expect(guids).toEqual((output as string[]).slice(0, 2 * (point + 1)));
    }
    expect(new Set(output as string[]).size).toBe(8);
  });

  test("says of every point but the last that it is a replay", async () => {
    const id = await app.start("observed");
    await app.host.advance(3000);
    await app.finished(id);
    const observed = channel.reported(id) as Observed[];
    const fresh = observed.filter(({ isReplaying }) => !isReplaying).map(({ point }) => point);
    expect(fresh).toEqual([0, 1, 2, 3]);
  });

  test("has the version it was started with, which its children do not inherit", async () => {
    const id = await app.client("startNew", "version", { input: null, version: "2.0" });
    expect((await app.finished(String(id))).output).toEqual({ own: "2.0", child: null, versioned: "7.1" });
  });

  test("has no version when none was asked for", async () => {
    expect((await app.run("version")).output).toMatchObject({ own: null });
  });

  test("has the version that host.json gives to all that were not given one, children included", async () => {
    const versioned = await DurableHost.open({ scriptRoot: fixtureApp("durable-versions") });
    try {
      expect((await versioned.run("version")).output).toEqual({ own: "1.5", child: "1.5", versioned: "7.1" });
      const id = String(await versioned.client("startNew", "version", { input: null, version: "2.0" }));
      expect((await versioned.finished(id)).output).toEqual({ own: "2.0", child: "1.5", versioned: "7.1" });
    } finally {
      await versioned.stop();
    }
  });
});

describe("an orchestration's input and output", () => {
  test.each([[{ a: [1] }], ["text"], ["12"], [12], [false], [[]]])(
    "is %j when that was given",
    async (value) => {
      const { input, output } = await app.run("input-as-is", value);
      expect(input).toEqual(value);
      expect(output).toEqual({ input: value, type: typeof value });
    },
  );

  test("is the empty string when the client was given none", async () => {
    const id = String(await app.client("startNew", "input-as-is"));
    expect((await app.finished(id)).output).toEqual({ input: "", type: "string" });
  });

  test("is null when nothing was given back", async () => {
    expect(await app.run("returns-nothing")).toMatchObject({ runtimeStatus: "Completed", output: null });
  });
});
