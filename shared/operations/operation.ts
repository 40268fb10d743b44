import type { Envelope } from "../envelope/envelope.ts";
import type { Failing } from "../failures/classes.ts";

/** What a template can speak of, and what an operation is done in the name of. */
export interface OperationInput {
  readonly tenantId: string;
  readonly routeName: string;
  readonly envelope: Envelope;
  /** The key of the ledger row; sent along where the vendor knows idempotency keys. */
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/** A request before it is sent: what a dry run shows. Headers that carry secrets are named, not filled in. */
export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type OperationOutcome =
  | {
      readonly kind: "succeeded";
      readonly httpStatus: number;
      /** What the vendor calls the thing that was made, or what stands for it: kept in the ledger. */
      readonly sideEffectRef: string;
      readonly durationMs: number;
    }
  | { readonly kind: "failed"; readonly failing: Failing; readonly durationMs: number };

/** What the vendor says about an attempt whose end nobody saw. */
export type InDoubtAnswer =
  | { readonly kind: "happened"; readonly sideEffectRef: string }
  | { readonly kind: "absent" }
  /** Doing it again under the same key is safe: the vendor sees to that. */
  | { readonly kind: "repeatable" }
  /** The vendor offers no way to tell. */
  | { readonly kind: "unknown" }
  | { readonly kind: "failed"; readonly failing: Failing };

/**
 * One thing that can be done at a vendor: a route's `operation`, bound to its endpoint and credentials. Whatever kind
 * it is, the ledger, retries, replays and dry runs know it through this alone.
 */
export interface BoundOperation {
  readonly targetSystem: string;
  readonly preview: (input: OperationInput) => RequestPreview;
  readonly execute: (input: OperationInput) => Promise<OperationOutcome>;
  readonly askVendor: (input: OperationInput) => Promise<InDoubtAnswer>;
}
