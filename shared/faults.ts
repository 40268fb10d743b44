interface Row {
  readonly status: number;
  /** One sentence about what is wrong. */
  readonly says: string;
  /** One sentence about what to do next. */
  readonly remedy: string;
}

/** Every fault a caller can be answered with. docs/faults.md is printed from this table. */
export const faults = {
  "api-key-missing": {
    status: 401,
    says: "The request carries no API key.",
    remedy: "Send it as 'Authorization: Bearer <key>' or in the header 'x-api-key'.",
  },
  "api-key-invalid": {
    status: 401,
    says: "The API key is unknown, disabled, expired or mistyped.",
    remedy: "Use a key that an administrator of your tenant has issued.",
  },
  "role-insufficient": {
    status: 403,
    says: "The API key's role does not allow this.",
    remedy: "Use a key with the role that docs/api.md names for the endpoint.",
  },
  "not-found": {
    status: 404,
    says: "There is nothing here that your tenant can see.",
    remedy: "Check the address and the id; ids of other tenants are not told apart from ids that never were.",
  },
  "request-invalid": {
    status: 400,
    says: "The request does not have the form this endpoint takes.",
    remedy: "Mend what 'errors' lists; /api/openapi.json has the whole form.",
  },
  "body-not-json": {
    status: 400,
    says: "The body is not JSON in UTF-8.",
    remedy: "Send a JSON document in UTF-8, nested no deeper than 100 levels.",
  },
  "unsupported-media-type": {
    status: 415,
    says: "The body is of a type this endpoint does not take.",
    remedy: "Say 'Content-Type: application/json'.",
  },
  "body-too-large": {
    status: 413,
    says: "The body is larger than this endpoint takes.",
    remedy: "Send less at a time; docs/api.md has the limits.",
  },
  conflict: {
    status: 409,
    says: "What is stored does not allow this change.",
    remedy: "Read it again, and follow what 'detail' says.",
  },
  "precondition-failed": {
    status: 412,
    says: "It was changed since you read it.",
    remedy: "Read it again and repeat the change with the new 'etag'.",
  },
  "too-many-requests": {
    status: 429,
    says: "More requests came than are allowed in this time.",
    remedy: "Wait as long as 'Retry-After' says and send it again.",
  },
  unavailable: {
    status: 503,
    says: "A service that Interlock needs does not answer at the moment.",
    remedy: "Send the request again in a few seconds.",
  },
  "hook-unknown": {
    status: 404,
    says: "No webhook is expected at this address.",
    remedy: "Copy the hook's address from the connection; it changes when a connection is made anew.",
  },
  "connection-disabled": {
    status: 403,
    says: "The connection is disabled and takes no webhooks.",
    remedy: "Enable the connection, and have the source deliver again what it sent meanwhile.",
  },
  "sender-not-allowed": {
    status: 403,
    says: "The sender's address is not on the connection's list.",
    remedy: "Add the source's address ranges to 'allowedIps' of the connection.",
  },
  "signature-invalid": {
    status: 401,
    says: "The webhook's signature could not be verified.",
    remedy: "Compare the secret at the source with the connection's, and the clocks of both.",
  },
  "payload-unusable": {
    status: 422,
    says: "The webhook is signed correctly, but its payload cannot be used.",
    remedy: "See what 'errors' names. The webhook is kept in quarantine and can be replayed.",
  },
  "config-invalid": {
    status: 400,
    says: "The configuration has mistakes and was not put into place.",
    remedy:
      "Mend what 'errors' lists; POST /api/v1/config/routes/validate says it without changing anything.",
  },
  "artifact-altered": {
    status: 422,
    says: "The artifact is not what was exported: its content does not have its hash.",
    remedy: "Export it again, and edit configurations where they are stored.",
  },
  "settings-incomplete": {
    status: 500,
    says: "A setting the platform needs is missing or contradicts another.",
    remedy: "Compare the app's settings with docs/settings.md.",
  },
  unexpected: {
    status: 500,
    says: "Interlock failed in a way it has no name for.",
    remedy: "Try again; if it stays, give the correlation id to whoever runs Interlock.",
  },
} as const satisfies Record<string, Row>;

export type FaultCode = keyof typeof faults;

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

interface FaultOptions extends ErrorOptions {
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
}

export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;
  /** Each thing that is wrong with a request, and where it stands. */
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | undefined;

  /** `detail` and `errors` are shown to the caller: no secret, no internal name. */
  constructor(code: FaultCode, detail?: string, options?: FaultOptions) {
    super(detail ?? faults[code].says, options);
    this.code = code;
    this.errors = options?.errors ?? [];
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** Names any thrown value. Whoever knows more names it earlier; this is the floor. */
export function toFault(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : new Fault("unexpected", undefined, { cause: thrown });
}
