import type { AmqpValue } from "../codec/decode.ts";

/** The application properties that say why a message was dead-lettered. */
export type DeadLetterProperties = ReadonlyMap<string, AmqpValue>;

const reason = (name: string, description: string): DeadLetterProperties =>
  new Map([
    ["DeadLetterReason", name],
    ["DeadLetterErrorDescription", description],
  ]);

/**
 * The reasons the broker itself gives.
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-dead-letter-queues
 */
export const expired = reason("TTLExpiredException", "The message expired and was dead lettered.");

export const sessionIdIsNull = reason(
  "Session ID is null.",
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

export const maxDeliveryCountExceeded = (attempts: number): DeadLetterProperties =>
  reason("MaxDeliveryCountExceeded", `Message could not be consumed after ${attempts} delivery attempts.`);

export const tooManyHops = reason(
  "MaxTransferHopCountExceeded",
  "The maximum number of allowed hops when forwarding between queues. This value is set to 4.",
);

export const forwardingFailed = (description: string): DeadLetterProperties =>
  reason("MessagingEntityNotFound", description);

export const filterFailed = (description: string): DeadLetterProperties =>
  reason("FilterEvaluationError", description);
