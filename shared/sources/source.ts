/** What arrived: the exact bytes, for they are what was signed. */
export interface Webhook {
  readonly headers: HeaderReader;
  readonly body: Uint8Array;
}

export interface HeaderReader {
  get(name: string): string | null;
}

export type Refusal = "missing" | "malformed" | "mismatch" | "stale" | "no-secret";

export type Verdict =
  | { readonly kind: "verified" }
  /** `reason` goes into the answer and the audit: it never says what the right signature would have been. */
  | { readonly kind: "refused"; readonly reason: Refusal };

export interface VerificationInput {
  readonly webhook: Webhook;
  /** Every secret that counts at the moment: two of them while one is being replaced. */
  readonly secrets: readonly string[];
  readonly now: Date;
  /** What a configurable scheme needs; checked against the scheme's `configSchema` when a connection is made. */
  readonly config: unknown;
}

/** One way to sign a webhook. */
export interface Scheme {
  readonly name: string;
  readonly verify: (input: VerificationInput) => Verdict;
  /** JSON Schema of `config`; absent where there is nothing to configure. */
  readonly configSchema?: object;
  /** What a secret must look like, in words, where not every text will do; undefined when it is fine. */
  readonly secretProblem?: (secret: string) => string | undefined;
}

/** What an event is about, in the platform's words. */
export interface Normalised {
  /** `github.events.pull_request.opened` */
  readonly subject: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly eventType: string;
  readonly eventTime?: Date;
  /** The vendor's id of this delivery or event, stable over redeliveries; without one the bytes decide. */
  readonly deliveryId?: string;
}

/** A webhook that is part of setting up the hook rather than an event: it is answered and goes no further. */
export interface Handshake {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A system that sends webhooks. */
export interface Source {
  readonly name: string;
  /** The first is the default. */
  readonly schemes: readonly [string, ...string[]];
  /** JSON Schema of the connection's `normaliser` settings; absent where there is nothing to configure. */
  readonly configSchema?: object;
  /** Throws a `PayloadProblem` where a field it needs is missing. */
  readonly normalise: (webhook: Webhook, data: unknown, config: unknown) => Normalised;
  /** Asked after verification. */
  readonly handshake?: (webhook: Webhook, data: unknown) => Handshake | undefined;
}

/** The payload was signed and still cannot be used: what is missing, for the quarantine record and the answer. */
export class PayloadProblem extends Error {
  override readonly name = "PayloadProblem";
  /** Path of the field, such as `object_attributes.id`, or a header's name. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
