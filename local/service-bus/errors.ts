/**
 * One named maker for each error the service documents. The condition is what decides the `code` a client sees in
 * its `ServiceBusError`; the description is mandatory, because a client ignores a condition without one.
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-amqp-troubleshoot
 */
export class BusError extends Error {
  override readonly name = "BusError";
  readonly condition: string;
  /** The status a `$management` or `$cbs` answer carries beside the condition. */
  readonly status: number;

  constructor(status: number, condition: string, description: string) {
    super(description);
    this.status = status;
    this.condition = condition;
  }
}

export const entityNotFound = (path: string): BusError =>
  new BusError(404, "amqp:not-found", `The messaging entity '${path}' could not be found.`);

export const entityAlreadyExists = (path: string): BusError =>
  new BusError(409, "com.microsoft:entity-already-exists", `The messaging entity '${path}' already exists.`);

export const entityDisabled = (path: string): BusError =>
  new BusError(
    403,
    "com.microsoft:entity-disabled",
    `The messaging entity '${path}' is disabled for this operation.`,
  );

export const messageLockLost = (): BusError =>
  new BusError(
    410,
    "com.microsoft:message-lock-lost",
    "The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.",
  );

export const sessionLockLost = (session: string): BusError =>
  new BusError(
    410,
    "com.microsoft:session-lock-lost",
    `The session lock was lost. Request a new session receiver. Session '${session}'.`,
  );

export const sessionCannotBeLocked = (session: string): BusError =>
  new BusError(
    409,
    "com.microsoft:session-cannot-be-locked",
    `The requested session '${session}' cannot be accepted. It may be locked by another receiver.`,
  );

export const noSessionAvailable = (): BusError =>
  new BusError(408, "com.microsoft:timeout", "No session became available before the operation timed out.");

export const messageNotFound = (sequence: number | bigint): BusError =>
  new BusError(
    404,
    "com.microsoft:message-not-found",
    `The message with sequence number ${sequence} could not be found.`,
  );

export const messageTooLarge = (bytes: number, limit: number): BusError =>
  new BusError(
    413,
    "amqp:link:message-size-exceeded",
    `The received message (size ${bytes} bytes) exceeds the limit (${limit} bytes) of the link.`,
  );

export const quotaExceeded = (path: string, megabytes: number): BusError =>
  new BusError(
    403,
    "amqp:resource-limit-exceeded",
    `The maximum entity size of ${megabytes} MB has been reached or exceeded for '${path}'.`,
  );

export const unauthorized = (reason: string): BusError =>
  new BusError(401, "amqp:unauthorized-access", `Unauthorized access. ${reason}`);

export const notAllowed = (reason: string): BusError => new BusError(400, "amqp:not-allowed", reason);

export const invalidArgument = (reason: string): BusError =>
  new BusError(400, "com.microsoft:argument-error", reason);

export const malformedMessage = (reason: string): BusError => new BusError(400, "amqp:decode-error", reason);

export const notImplemented = (operation: string): BusError =>
  new BusError(501, "amqp:not-implemented", `The operation '${operation}' is not supported.`);

const internalError = (reason: string): BusError => new BusError(500, "amqp:internal-error", reason);

/** Names any thrown value: what nobody named is ours to answer for. */
export function toBusError(thrown: unknown): BusError {
  if (thrown instanceof BusError) return thrown;
  return internalError(thrown instanceof Error ? thrown.message : String(thrown));
}
