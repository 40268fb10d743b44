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
    says: "The API key is unknown, disabled or mistyped.",
    remedy: "Use a key that an administrator of your tenant has issued.",
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

export class Fault extends Error {
  override readonly name = "Fault";
  readonly code: FaultCode;

  /** `detail` is shown to the caller: no secret, no internal name. */
  constructor(code: FaultCode, detail?: string, options?: ErrorOptions) {
    super(detail ?? faults[code].says, options);
    this.code = code;
  }
}

/** Names any thrown value. Whoever knows more names it earlier; this is the floor. */
export function toFault(thrown: unknown): Fault {
  return thrown instanceof Fault ? thrown : new Fault("unexpected", undefined, { cause: thrown });
}
