import type { HeaderValues } from "../signers.ts";

/** A webhook as a vendor sends it, less its signature, and what Interlock should make of it. */
export interface Sample {
  readonly subject: string;
  readonly objectType: string;
  readonly objectId: string;
  readonly eventType: string;
  /** ISO 8601; absent where the payload does not tell. */
  readonly eventTime?: string;
  /** Absent where there is none. */
  readonly deliveryId?: string;
  readonly headers: HeaderValues;
  readonly payload: Readonly<Record<string, unknown>>;
  /** How the payload is sent; JSON otherwise. */
  readonly sentAs?: "form" | "form-payload";
}

/** `delivery` makes one webhook differ from the next, and the same one again be its redelivery. */
export type Samples = (delivery: string) => readonly [Sample, ...Sample[]];
