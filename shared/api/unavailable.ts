import { Fault, toFault } from "../faults.ts";
import { SchemaProblems } from "../json/schema.ts";

/** The SDKs put these on what they throw when nobody answers. */
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
  "REQUEST_SEND_ERROR",
  "ServiceUnavailable",
  "ServiceTimeout",
  "ServiceBusy",
  "ServiceCommunicationProblem",
]);

/** Whether storage, the bus or the vault could not be reached, or is too busy: it may work in a moment. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const status = "statusCode" in error ? error.statusCode : undefined;
  if (typeof status === "number") return status >= 500 || status === 429 || status === 408;
  return "code" in error && typeof error.code === "string" && networkCodes.has(error.code);
}

/** Names whatever a handler threw. */
export function nameFailure(thrown: unknown): Fault {
  if (isUnavailable(thrown))
    return new Fault("unavailable", undefined, { cause: thrown, retryAfterSeconds: 5 });
  if (thrown instanceof SchemaProblems) {
    return new Fault("request-invalid", undefined, { cause: thrown, errors: thrown.problems });
  }
  return toFault(thrown);
}
