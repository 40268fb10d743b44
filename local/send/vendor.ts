import type { Occurrence } from "./occurrence.ts";

export type HeaderValues = Readonly<Record<string, string>>;

/** The `schemeConfig` of a connection with the scheme `generic-hmac`. */
export interface HmacSettings {
  readonly header: string;
  readonly algorithm?: string;
  readonly encoding?: "hex" | "base64";
  readonly prefix?: string;
  readonly timestamp?: { readonly header: string; readonly template?: string };
}

/** What is signed, with what, and when. */
export interface ToSign {
  readonly secret: string;
  readonly body: Buffer;
  readonly deliveryId: string;
  readonly sentAt: Date;
  /** For the vendor that signs as a connection's settings say. */
  readonly hmacSettings: HmacSettings;
}

export interface Sample {
  readonly payload: (of: Occurrence) => object;
  /** Sent as a form: each field of the payload as one of it, or all of it as JSON in the field `payload`. */
  readonly form?: "fields" | "payload";
}

/** By the name of the event, which is what follows `<source>.events.` in its subject. The first is the usual one. */
export type Samples = Readonly<Record<string, Sample>>;

/** How a vendor sends its webhooks. */
export interface Vendor {
  readonly samples: Samples;
  /** What it sends besides the signature. */
  readonly headers?: (event: string, deliveryId: string) => HeaderValues;
  readonly sign: (what: ToSign) => HeaderValues;
  /** False where the secret itself is sent, which says nothing about the body. */
  readonly signsBody: boolean;
}
