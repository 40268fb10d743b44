import { describe, expect, test } from "vitest";

import { parseSchedule, scheduleTimeZone } from "../../../local/host/timer/schedule.ts";

function occurrences(text: string, from: string, count = 1, timeZone = "UTC"): string[] {
  const schedule = parseSchedule(text, timeZone);
  const found: string[] = [];
  let time: number | undefined = Date.parse(from);
  while (found.length < count) {
    time = schedule.next(time);
    if (time === undefined) break;
    found.push(new Date(time).toISOString().replace(".000Z", "Z"));
  }
  return found;
}

const from = "2026-08-12T10:07:03Z"; // A Wednesday.

describe("a schedule", () => {
  test.each([
    ["0 */5 * * * *", ["2026-08-12T10:10:00Z", "2026-08-12T10:15:00Z"]],
    ["*/5 * * * *", ["2026-08-12T10:10:00Z", "2026-08-12T10:15:00Z"]],
    ["*/20 * * * * *", ["2026-08-12T10:07:20Z", "2026-08-12T10:07:40Z"]],
    ["0 5/15 * * * *", ["2026-08-12T10:20:00Z", "2026-08-12T10:35:00Z"]],
    ["0 0 9-17/4 * * *", ["2026-08-12T13:00:00Z", "2026-08-12T17:00:00Z"]],
    ["0 0 0 * * MON", ["2026-08-17T00:00:00Z", "2026-08-24T00:00:00Z"]],
    ["0 0 0 * * Fri-Mon", ["2026-08-13T00:00:00Z", "2026-08-14T00:00:00Z"]],
    ["0 0 0 1 jan,DEC *", ["2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"]],
    ["0 30 9 * * 1-5", ["2026-08-13T09:30:00Z", "2026-08-14T09:30:00Z"]],
    ["0 0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
  ])("%s comes next at %j", (text, times) => {
    expect(occurrences(text, from, times.length)).toEqual(times);
  });

  test("day of the month and day of the week must both fit", () => {
    expect(occurrences("0 0 0 13 * 5", from)).toEqual(["2026-11-13T00:00:00Z"]);
  });

  test("an occurrence is always later than the time it was asked for", () => {
    expect(occurrences("0 0 * * * *", "2026-08-12T10:00:00Z")).toEqual(["2026-08-12T11:00:00Z"]);
    expect(occurrences("0 0 * * * *", "2026-08-12T09:59:59.999Z")).toEqual(["2026-08-12T10:00:00Z"]);
  });

  test("a time span is a constant interval", () => {
    expect(occurrences("00:05:00", from, 2)).toEqual(["2026-08-12T10:12:03Z", "2026-08-12T10:17:03Z"]);
    expect(occurrences("1.00:00:00", from)).toEqual(["2026-08-13T10:07:03Z"]);
  });

  test("cron follows the wall clock of its time zone through a change of the hour", () => {
    const zone = "Europe/Berlin";
    expect(occurrences("0 0 9 * * *", "2026-03-28T12:00:00Z", 1, zone)).toEqual(["2026-03-29T07:00:00Z"]);
    expect(occurrences("0 0 9 * * *", "2026-10-24T12:00:00Z", 1, zone)).toEqual(["2026-10-25T08:00:00Z"]);
    expect(occurrences("0 30 2 * * *", "2026-03-28T12:00:00Z", 1, zone)).toHaveLength(1);
  });

  test("it knows whether it runs more than once a minute", () => {
    expect(parseSchedule("*/10 * * * * *", "UTC").subMinute).toBe(true);
    expect(parseSchedule("00:00:30", "UTC").subMinute).toBe(true);
    expect(parseSchedule("0 * * * * *", "UTC").subMinute).toBe(false);
    expect(parseSchedule("00:01:00", "UTC").subMinute).toBe(false);
    // Several times within a minute, but not in every minute: worth a record.
    expect(parseSchedule("*/10 0 * * * *", "UTC").subMinute).toBe(false);
  });

  test("cron adjusts for summer time and an interval does not", () => {
    expect(parseSchedule("0 0 * * * *", "UTC").adjustsForDst).toBe(true);
    expect(parseSchedule("01:00:00", "UTC").adjustsForDst).toBe(false);
  });

  test.each([
    ["0 * * *", "has 4 fields"],
    ["* * * * * * *", "has 7 fields"],
    ["0 60 * * * *", "'60' is no minute (0 to 59)"],
    ["0 0 0 0 * *", "'0' is no day (1 to 31)"],
    ["0 0 0 L * *", "'L' is no day"],
    ["0 0 0 15W * *", "'15W' is no day"],
    ["0 0 0 ? * *", "'?' is no day"],
    ["0 0 0 * * 7", "'7' is no day of the week"],
    ["0 0 0 * * 5#2", "'5#2' is no day of the week"],
    ["0 0 0 * FOO *", "'FOO' is no month (1 to 12 or a name such as JAN)"],
    ["0 */x * * * *", "'*/x' is no minute"],
    ["0 1,,2 * * * *", "'' is no minute"],
    ["00:00:00", "must be longer than nothing"],
    ["hourly", "has 1 fields"],
  ])("%s is refused: %s", (text, reason) => {
    expect(() => parseSchedule(text, "UTC")).toThrow(reason);
  });

  test("a date that never comes has no next occurrence", () => {
    expect(parseSchedule("0 0 0 30 2 *", "UTC").next(Date.parse(from))).toBeUndefined();
  });

  test("the time zone is UTC unless a setting names another", () => {
    expect(scheduleTimeZone({})).toBe("UTC");
    expect(scheduleTimeZone({ WEBSITE_TIME_ZONE: "Europe/Berlin" })).toBe("Europe/Berlin");
    expect(() => scheduleTimeZone({ WEBSITE_TIME_ZONE: "Mars/Olympus" })).toThrow("no time zone");
  });
});
