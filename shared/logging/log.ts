import { type LogEventName, logEvents } from "./log-events.ts";

/** What every line carries, so that one query finds everything about one thing. Null where it does not apply. */
export const logFields = [
  "routeName",
  "runId",
  "correlationId",
  "sourceSystem",
  "targetSystem",
  "objectType",
  "objectId",
  "eventId",
  "idempotencyKey",
  "attempt",
  "classification",
  "family",
  "action",
  "durationMs",
  "httpStatus",
  "errorCode",
  "payloadHash",
  "tenantId",
  "configHash",
  "count",
] as const;

type LogField = (typeof logFields)[number];
export type LogValues = Readonly<Partial<Record<LogField, string | number | undefined>>> & {
  /** Said in addition to the event's own sentence. */
  readonly detail?: string;
};

/** The part of an invocation's context that takes lines. */
export interface LogSink {
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly error: (line: string) => void;
}

export interface Log {
  readonly event: (name: LogEventName, values?: LogValues) => void;
}

/** `scenarioName` is the function that logs. Logging never fails what it tells about. */
export function createLog(sink: LogSink, scenarioName: string, env: string, clock = Date.now): Log {
  return {
    event: (name, { detail, ...values } = {}) => {
      const { level, message, ...more } = logEvents[name];
      const line: Record<string, unknown> = {
        timestamp: new Date(clock()).toISOString(),
        env,
        scenarioName,
        event: name,
        message: detail === undefined ? message : `${message} ${detail}`,
        ...more,
      };
      for (const field of logFields) line[field] = values[field] ?? null;
      line["piiRedacted"] = true;
      try {
        sink[level](JSON.stringify(line));
      } catch {
        lostLines++;
      }
    },
  };
}

let lostLines = 0;

/** Lines that could not be written, for the metrics. */
export function lostLogLines(): number {
  return lostLines;
}
