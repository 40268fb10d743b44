import { meaningOf } from "../outbound/error-codes.ts";
import { isWindowUsedUp, retryAfterOf } from "../outbound/retry-after.ts";
import { SendError } from "../outbound/send-error.ts";
import type { Failing, FailureClass } from "./classes.ts";

interface StatusRow {
  /** One status, or a hundred of them: `4xx` stands for those without a row of their own. */
  readonly status: string;
  readonly classification: FailureClass;
  /** The one who answered may be a gateway that does not know what its backend did. */
  readonly mayHaveHappened: boolean;
  readonly meaning: string;
}

const row = (
  status: string,
  classification: FailureClass,
  meaning: string,
  mayHaveHappened = false,
): StatusRow => ({ status, classification, meaning, mayHaveHappened });

/** What an HTTP status that is no success is taken for. A route overrides single ones with `statusClasses`. */
export const statusTable: readonly StatusRow[] = [
  row("3xx", "Poison", "a redirect, which is not followed"),
  row("400", "Validation", "the vendor does not understand the request"),
  row("401", "Auth", "the credential is missing, wrong or expired"),
  row("403", "Auth", "the credential may not do this; RateLimited where the rate window is used up"),
  row("404", "Validation", "what the request is about does not exist"),
  row("405", "Validation", "the vendor does not know the method there"),
  row("407", "Auth", "a proxy wants a credential"),
  row("408", "Transient", "the vendor did not get the whole request in time"),
  row("409", "Validation", "the request contradicts what is there"),
  row("410", "Validation", "what the request is about is gone"),
  row("413", "Validation", "the request is too large"),
  row("415", "Validation", "the vendor does not take this content type"),
  row("422", "Validation", "the vendor refuses the content"),
  row("425", "Transient", "too early"),
  row("429", "RateLimited", "too many requests"),
  row("4xx", "Validation", "the vendor refuses the request"),
  row("500", "Transient", "the vendor failed"),
  row("501", "Validation", "the vendor does not offer this"),
  row("502", "Transient", "a gateway lost the vendor's answer", true),
  row("503", "Transient", "the vendor is not available; waits as long as it asks for"),
  row("504", "Transient", "a gateway waited too long for the vendor", true),
  row("520", "Transient", "a gateway did not understand the vendor's answer", true),
  row("524", "Transient", "a gateway waited too long for the vendor", true),
  row("5xx", "Transient", "the vendor failed"),
];

/** An error whose failing is known where it is thrown. */
export class ClassifiedError extends Error {
  override readonly name = "ClassifiedError";
  readonly failing: Failing;

  constructor(failing: Failing, options?: ErrorOptions) {
    super(failing.message, options);
    this.failing = failing;
  }
}

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Who answered, for the message: a host, never an address with a query. */
  readonly host: string;
  /** What the vendor wrote, redacted and short; asked for when the answer is no success. */
  readonly excerpt?: () => string;
}

type StatusClasses = Readonly<Record<string, FailureClass | "Success">>;

/** Undefined is success. */
export function classifyStatus(
  answer: Answered,
  now: Date,
  overrides: StatusClasses = {},
): Failing | undefined {
  const { status, headers, host } = answer;
  const override = overrides[String(status)];
  if (override === "Success" || (override === undefined && status >= 200 && status < 300)) return undefined;
  const found = rowOf(status);
  const asked = retryAfterOf(headers, now);
  const limited = status === 403 && (isWindowUsedUp(headers) || headers["retry-after"] !== undefined);
  const classification = override ?? (limited ? "RateLimited" : found.classification);
  const wait = classification === "RateLimited" || headers["retry-after"] !== undefined ? asked : undefined;
  return {
    classification,
    code: status >= 300 && status < 400 ? "REDIRECT" : `HTTP_${status}`,
    message: `${host} answered ${status}: ${answer.excerpt?.() || found.meaning}`,
    httpStatus: status,
    mayHaveHappened: found.mayHaveHappened,
    ...(wait === undefined ? {} : { retryAfterSeconds: wait }),
  };
}

/** Names any thrown value. Only a `SendError` knows of a request that may have arrived; whatever else is thrown sent none. */
export function classifyError(error: unknown, host?: string): Failing {
  if (error instanceof ClassifiedError) return error.failing;
  const where = host === undefined ? "" : ` (${host})`;
  if (error instanceof SendError) {
    const { code, classification, meaning } = meaningOf(error.code);
    return { classification, code, message: `${capitalised(meaning)}${where}.`, mayHaveHappened: error.sent };
  }
  return {
    classification: "Transient",
    code: "UNEXPECTED",
    message: `Interlock failed before the request was sent${where}.`,
    mayHaveHappened: false,
  };
}

const rows = new Map(statusTable.map((each) => [each.status, each]));
const unknownStatus = row("", "Poison", "an answer that is none");

function rowOf(status: number): StatusRow {
  const text = String(status);
  return rows.get(text) ?? rows.get(`${text.slice(0, 1)}xx`) ?? unknownStatus;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
