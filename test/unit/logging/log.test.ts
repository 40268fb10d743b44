import { expect, test } from "vitest";

import { createLog, type LogSink, lostLogLines } from "../../../shared/logging/log.ts";
import { logEvents } from "../../../shared/logging/log-events.ts";
import { lineProblems } from "./line-schema.ts";

function keeping(): { readonly sink: LogSink; readonly lines: [level: string, line: string][] } {
  const lines: [string, string][] = [];
  const take =
    (level: string) =>
    (line: string): void =>
      void lines.push([level, line]);
  return { lines, sink: { info: take("info"), warn: take("warn"), error: take("error") } };
}

test("OBS-01: every event is a line with all fields, at its own level", () => {
  const { sink, lines } = keeping();
  const log = createLog(sink, "execute-work", "test", () => 0);
  const names = Object.keys(logEvents) as (keyof typeof logEvents)[];
  for (const name of names) log.event(name);
  expect(lines.map(([level]) => level)).toEqual(names.map((name) => logEvents[name].level));
  for (const [, line] of lines) expect(lineProblems(line)).toEqual([]);
});

test("OBS-01: values go where they belong, and what is not said is null", () => {
  const { sink, lines } = keeping();
  createLog(sink, "execute-work", "prod", () => Date.UTC(2026, 10, 18)).event("work.executed", {
    tenantId: "acme",
    attempt: 2,
    httpStatus: undefined,
    detail: "It took two.",
  });
  expect(JSON.parse(lines[0]?.[1] ?? "")).toMatchObject({
    timestamp: "2026-11-18T00:00:00.000Z",
    env: "prod",
    scenarioName: "execute-work",
    event: "work.executed",
    message: "A side effect happened. It took two.",
    tenantId: "acme",
    attempt: 2,
    httpStatus: null,
    errorCode: null,
    piiRedacted: true,
  });
});

test("OBS-01: an error names a runbook", () => {
  const errors = Object.entries(logEvents).filter(([, { level }]) => level === "error");
  expect(errors.filter(([, event]) => !("runbook" in event))).toEqual([]);
});

test("logging never fails what it tells about, and what is lost is counted", () => {
  const before = lostLogLines();
  const broken = (): never => {
    throw new Error("the pipe is closed");
  };
  createLog({ info: broken, warn: broken, error: broken }, "x", "test").event("work.executed");
  expect(lostLogLines()).toBe(before + 1);
});
