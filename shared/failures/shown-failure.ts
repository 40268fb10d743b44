import type { Failure } from "../ledgers/failures.ts";
import { nextAction } from "./next-action.ts";

/** A failure as lists show it: whatever is known about it but what it carries. */
export function shownFailure(failure: Failure): object {
  const {
    tenantId: _,
    workItem: __,
    revision: ___,
    code,
    message,
    httpStatus,
    lastFailedAt,
    ...shown
  } = failure;
  return {
    ...shown,
    lastFailedAt,
    lastError: { code, message, at: lastFailedAt, ...(httpStatus === undefined ? {} : { httpStatus }) },
    nextAction: nextAction(failure),
  };
}

/** The whole record. What the event says is for those who act on failures; others see that there is something. */
export function shownWhole(failure: Failure, maySeeData: boolean): object {
  const held = parsed(failure.workItem);
  const { envelope, ...rest } = isRecord(held) && isRecord(held["envelope"]) ? held : { envelope: held };
  const event = isRecord(envelope) ? withoutData(envelope, maySeeData) : undefined;
  return {
    ...shownFailure(failure),
    ...(Object.keys(rest).length === 0 ? {} : { workItem: rest }),
    ...(event === undefined ? {} : { envelope: event }),
    ...(isRecord(envelope) || !maySeeData ? {} : { message: failure.workItem }),
    dataWithheld: !maySeeData,
  };
}

function withoutData(envelope: Readonly<Record<string, unknown>>, maySeeData: boolean): object {
  if (maySeeData) return envelope;
  const { data: _, ...event } = envelope;
  return event;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
