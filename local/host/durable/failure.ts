import { messageOf } from "../../start-error.ts";
import type { Failure } from "./history.ts";

/** A failure in both forms the SDK can read: the text of older extensions and the details of newer ones. */
export function failureOf(reason: string, error: unknown): Failure {
  const message = messageOf(error);
  const stack = error instanceof Error ? (error.stack ?? null) : null;
  return {
    Reason: `${reason}  ${message}`,
    Details: JSON.stringify({ Message: message, StackTrace: stack }),
    FailureDetails: {
      ErrorType: error instanceof Error ? error.name : "Error",
      ErrorMessage: message,
      StackTrace: stack,
      IsNonRetriable: false,
      InnerFailure: null,
      Properties: null,
    },
  };
}
