import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { ManualClock } from "../../../local/clock.ts";
import { createHost } from "../../../local/host/host.ts";
import type { LogLine } from "../../../local/host/log.ts";
import { fixtureApp } from "../../support/fixture-app.ts";
import { fixtureChannel } from "../../support/fixture-channel.ts";

type Host = Awaited<ReturnType<typeof createHost>>;

interface Report {
  readonly timer: {
    readonly isPastDue: boolean;
    readonly schedule: { readonly adjustForDST: boolean };
    readonly scheduleStatus: {
      readonly last: string;
      readonly next: string;
      readonly lastUpdated: string;
    } | null;
  };
  readonly retry?: { readonly retryCount: number; readonly exception: { readonly message: string } };
}

const channel = fixtureChannel();
const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

let dataDir: string;
let clock: ManualClock;
let lines: LogLine[];
let hosts: Host[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "timers-"));
  lines = [];
  hosts = [];
});
afterEach(async () => {
  channel.clear();
  await Promise.all(hosts.map((host) => host.stop()));
  rmSync(dataDir, { recursive: true });
});

async function startAt(time: string, settings: Record<string, string> = {}): Promise<Host> {
  clock = new ManualClock(new Date(time));
  const host = await createHost({
    scriptRoot: fixtureApp("timers"),
    port: 0,
    clock,
    dataDir,
    settings: { NIGHTLY: "0 0 2 * * *", "AzureWebJobs.off.Disabled": "1", ...settings },
    log: (line: LogLine) => void lines.push(line),
  });
  hosts.push(host);
  await host.advance(0);
  return host;
}

async function stop(host: Host): Promise<void> {
  hosts = hosts.filter((other) => other !== host);
  await host.stop();
}

function reported(name: string): Report[] {
  return channel.reported(name) as Report[];
}

function statusFile(name: string): string {
  return join(dataDir, "timers", `${name}.json`);
}

describe("a timer", () => {
  test("runs when its schedule says so, and is told about it", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    await host.advance(52 * minute);
    expect(reported("hourly")).toEqual([]);
    await host.advance(minute);
    expect(reported("hourly")).toEqual([
      {
        timer: {
          schedule: { adjustForDST: true },
          scheduleStatus: {
            last: "0001-01-01T00:00:00+00:00",
            next: "2026-08-12T11:00:00.000Z",
            lastUpdated: "2026-08-12T10:07:03.000Z",
          },
          isPastDue: false,
        },
      },
    ]);
    await host.advance(3 * hour);
    expect(reported("hourly").map(({ timer }) => timer.scheduleStatus?.next)).toEqual([
      "2026-08-12T11:00:00.000Z",
      "2026-08-12T12:00:00.000Z",
      "2026-08-12T13:00:00.000Z",
      "2026-08-12T14:00:00.000Z",
    ]);
    expect(reported("hourly").at(-1)?.timer.scheduleStatus?.last).toBe("2026-08-12T13:00:00.000Z");
  });

  test("with a time span for a schedule runs at that interval from the start", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    await host.advance(25 * minute);
    expect(reported("interval").map(({ timer }) => timer.scheduleStatus?.next)).toEqual([
      "2026-08-12T10:17:03.000Z",
      "2026-08-12T10:27:03.000Z",
    ]);
    expect(reported("interval")[0]?.timer.schedule.adjustForDST).toBe(false);
  });

  test("that runs more than once a minute keeps no record", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    await host.advance(2 * minute);
    expect(reported("often").map(({ timer }) => timer.scheduleStatus)).toEqual([null, null, null, null]);
    expect(() => readFileSync(statusFile("often"))).toThrow("ENOENT");
  });

  test("runs on startup when it asks to, and then on its schedule", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    expect(reported("eager")).toMatchObject([{ timer: { isPastDue: false } }]);
    await host.advance(2 * hour);
    expect(reported("eager")).toHaveLength(2);
  });

  test("takes its schedule from a setting, in the time zone of another", async () => {
    const host = await startAt("2026-08-12T10:07:03Z", { WEBSITE_TIME_ZONE: "Europe/Berlin" });
    await host.advance(24 * hour);
    expect(reported("configured").map(({ timer }) => timer.scheduleStatus?.next)).toEqual([
      "2026-08-13T00:00:00.000Z",
    ]);
  });

  test("that is disabled does not run, not even on startup", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    await host.advance(hour);
    expect(reported("off")).toEqual([]);
  });

  test("can be started by hand without disturbing its schedule", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    await host.fire("hourly");
    await host.idle();
    expect(reported("hourly")).toMatchObject([{ timer: { isPastDue: false } }]);
    await host.advance(hour);
    expect(reported("hourly")).toHaveLength(2);
  });

  test("never overlaps itself: a run that takes too long is followed by one, not by all it missed", async () => {
    await startAt("2026-08-12T10:07:03Z");
    const settled = (): Promise<void> => Promise.resolve();
    channel.hold("hourly");
    await clock.advanceSettling(hour, settled);
    await channel.reports("hourly", 1);
    await clock.advanceSettling(3 * hour, settled);
    expect(reported("hourly")).toHaveLength(1);
    channel.release("hourly");
    await hosts[0]?.advance(0);
    expect(reported("hourly")).toHaveLength(2);
    await hosts[0]?.advance(hour);
    expect(reported("hourly").map(({ timer }) => timer.scheduleStatus?.next)).toEqual([
      "2026-08-12T11:00:00.000Z",
      "2026-08-12T12:00:00.000Z",
      "2026-08-12T15:00:00.000Z",
    ]);
  });

  test("that runs keeps the host from stopping until it has ended", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    channel.hold("hourly");
    await clock.advanceSettling(hour, () => Promise.resolve());
    await channel.reports("hourly", 1);
    let stopped = false;
    const stopping = stop(host).then(() => {
      stopped = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    channel.release("hourly");
    await stopping;
    expect(JSON.parse(readFileSync(statusFile("hourly"), "utf8"))).toMatchObject({
      last: "2026-08-12T11:00:00.000Z",
    });
  });
});

describe("a timer's record", () => {
  test("outlives the host", async () => {
    const host = await startAt("2026-08-12T10:07:03Z");
    await host.advance(hour);
    await stop(host);
    expect(JSON.parse(readFileSync(statusFile("hourly"), "utf8"))).toEqual({
      last: "2026-08-12T11:00:00.000Z",
      next: "2026-08-12T12:00:00.000Z",
      lastUpdated: "2026-08-12T11:00:00.000Z",
    });
  });

  test("shows that runs were missed, which is made good by a single one, past due", async () => {
    await stop(await startAt("2026-08-12T10:07:03Z"));
    const host = await startAt("2026-08-12T15:20:00Z");
    expect(reported("hourly")).toMatchObject([
      { timer: { isPastDue: true, scheduleStatus: { next: "2026-08-12T11:00:00.000Z" } } },
    ]);
    await host.advance(hour);
    expect(reported("hourly")).toMatchObject([
      { timer: { isPastDue: true } },
      { timer: { isPastDue: false, scheduleStatus: { next: "2026-08-12T16:00:00.000Z" } } },
    ]);
  });

  test("shows that nothing was missed", async () => {
    await stop(await startAt("2026-08-12T10:07:03Z"));
    await startAt("2026-08-12T10:40:00Z");
    expect(reported("hourly")).toEqual([]);
  });

  test("is not kept when the function does without, so that it is never past due", async () => {
    await stop(await startAt("2026-08-12T10:07:03Z"));
    const host = await startAt("2026-08-12T15:20:00Z");
    expect(reported("forgetful")).toEqual([]);
    await host.advance(hour);
    expect(reported("forgetful")).toMatchObject([{ timer: { scheduleStatus: null } }]);
  });

  test("made under another schedule is made anew, without a past-due run", async () => {
    await stop(await startAt("2026-08-12T10:07:03Z"));
    const host = await startAt("2026-08-14T10:07:03Z", { NIGHTLY: "0 30 3 * * *" });
    expect(reported("configured")).toEqual([]);
    await host.advance(24 * hour);
    expect(reported("configured")).toMatchObject([
      { timer: { isPastDue: false, scheduleStatus: { next: "2026-08-15T03:30:00.000Z" } } },
    ]);
  });

  test("that cannot be read counts as none", async () => {
    await stop(await startAt("2026-08-12T10:07:03Z"));
    writeFileSync(statusFile("hourly"), "{torn");
    const host = await startAt("2026-08-12T15:20:00Z");
    expect(reported("hourly")).toEqual([]);
    await host.advance(hour);
    expect(reported("hourly")).toHaveLength(1);
  });
});

describe("a retry policy on a timer", () => {
  test("with a fixed delay runs it again that much later, and tells it why", async () => {
    const host = await startAt("2026-08-12T06:14:00Z");
    await host.advance(minute);
    expect(reported("failing").map(({ retry }) => retry)).toEqual([undefined]);
    await host.advance(19 * second);
    expect(reported("failing")).toHaveLength(1);
    await host.advance(second);
    expect(reported("failing")).toHaveLength(2);
    await host.advance(hour);
    const [first, ...retries] = reported("failing").map(({ retry }) => retry);
    expect(first).toBeUndefined();
    expect(retries).toMatchObject([
      { retryCount: 1, maxRetryCount: 2, exception: { message: "attempt 0" } },
      { retryCount: 2, maxRetryCount: 2, exception: { message: "attempt 1" } },
    ]);
  });

  test("that is used up leaves the schedule as it is", async () => {
    const host = await startAt("2026-08-12T06:14:00Z");
    await host.advance(25 * hour);
    expect(reported("failing")).toHaveLength(6);
  });

  test("that backs off without end goes on until the function succeeds", async () => {
    const host = await startAt("2026-08-12T07:14:00Z");
    await host.advance(30 * minute);
    const retries = reported("backing-off").map(({ retry }) => retry?.retryCount ?? 0);
    expect(retries).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test("that waits does not hold up a stop", async () => {
    const host = await startAt("2026-08-12T06:14:00Z");
    await host.advance(minute);
    expect(reported("failing")).toHaveLength(1);
    await stop(host);
    expect(reported("failing")).toHaveLength(1);
  });
});

describe("a host with a timer it cannot run", () => {
  test("does not start when a schedule makes no sense, and names the function", async () => {
    await expect(startAt("2026-08-12T10:07:03Z", { NIGHTLY: "0 99 * * * *" })).rejects.toThrow(
      "Function 'configured': schedule '0 99 * * * *': '99' is no minute (0 to 59)",
    );
  });

  test("does not start when a schedule can never come true", async () => {
    await expect(startAt("2026-08-12T10:07:03Z", { NIGHTLY: "0 0 0 31 2 *" })).rejects.toThrow(
      "Function 'configured': schedule '0 0 0 31 2 *' names a date that never comes",
    );
  });

  test("does not start in a time zone that does not exist", async () => {
    await expect(startAt("2026-08-12T10:07:03Z", { WEBSITE_TIME_ZONE: "Atlantis" })).rejects.toThrow(
      "WEBSITE_TIME_ZONE is 'Atlantis', which is no time zone",
    );
  });
});
