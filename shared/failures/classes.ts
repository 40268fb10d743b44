/** How a failure is treated, for all parts of the platform alike. docs/failures.md is printed from this table. */
export const failureClasses = {
  Transient: { family: "transient", retried: true, action: "Tried again after a growing pause." },
  RateLimited: { family: "transient", retried: true, action: "Tried again when the vendor's window opens." },
  Auth: { family: "permanent", retried: false, action: "Parked until the credential is mended." },
  Validation: { family: "data-quality", retried: false, action: "Refused, parked and escalated." },
  Poison: { family: "permanent", retried: false, action: "Parked and escalated." },
} as const;

export type FailureClass = keyof typeof failureClasses;
export type FailureFamily = (typeof failureClasses)[FailureClass]["family"];

/** What went wrong, named once where it is known best. Holds no secret and no body. */
export interface Failing {
  readonly classification: FailureClass;
  /** Stable, upper snake case: `HTTP_429`, `CONFIG_MISSING`, `IN_DOUBT`. */
  readonly code: string;
  readonly message: string;
  readonly httpStatus?: number;
  /** From the vendor's `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The vendor may have done it all the same: a lost answer, a timeout after the request was sent. */
  readonly mayHaveHappened: boolean;
}
