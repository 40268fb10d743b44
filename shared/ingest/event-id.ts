import { stableId } from "../envelope/ids.ts";

/** What came in: where, and the hash of its bytes. */
export interface Received {
  readonly tenantId: string;
  readonly connectionId: string;
  readonly payloadHash: string;
}

/** Made of what the vendor calls the delivery, or else of the bytes: so that a duplicate has it too. */
export function eventIdOf(received: Received, deliveryId: string | undefined): string {
  const { tenantId, connectionId, payloadHash } = received;
  const what = deliveryId === undefined ? `bytes ${payloadHash}` : `delivery ${deliveryId}`;
  return stableId("event", tenantId, connectionId, what);
}

/**
 * What cannot be used is kept under an id of its own. Once the settings that read it are mended, the same webhook is an
 * event, and must not be taken for a duplicate of what never became one.
 */
export function quarantineIdOf({ tenantId, connectionId, payloadHash }: Received): string {
  return stableId("quarantined", tenantId, connectionId, payloadHash);
}
