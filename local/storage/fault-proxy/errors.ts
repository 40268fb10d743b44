/**
 * One named maker for each error of Table and Blob Storage that the proxy answers with.
 * https://learn.microsoft.com/rest/api/storageservices/table-service-error-codes
 */
export interface StorageFailure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
}

export const serverBusy = (retryAfterSeconds?: number): StorageFailure => ({
  status: 503,
  code: "ServerBusy",
  message: "The server is busy.",
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});

export const operationTimedOut = (): StorageFailure => ({
  status: 500,
  code: "OperationTimedOut",
  message: "Operation could not be completed within the specified time.",
});

export const entityTooLarge = (): StorageFailure =>
  badRequest("EntityTooLarge", "The entity is larger than the maximum allowed size (1MB).");

export const tooManyProperties = (): StorageFailure =>
  badRequest("TooManyProperties", "The entity contains more properties than allowed (252).");

export const propertyNameTooLong = (): StorageFailure =>
  badRequest("PropertyNameTooLong", "The property name exceeds the maximum allowed length (255).");

export const propertyNameInvalid = (): StorageFailure =>
  badRequest("PropertyNameInvalid", "The property name is invalid.");

export const keyValueTooLarge = (): StorageFailure =>
  badRequest("KeyValueTooLarge", "The key exceeds the maximum allowed length (1024).");

export const keyOutOfRange = (name: string): StorageFailure =>
  badRequest("OutOfRangeInput", `The '${name}' parameter has a character that is out of range.`);

export const invalidTop = (): StorageFailure =>
  badRequest("InvalidInput", "One of the request inputs is not valid: $top must be from 1 to 1000.");

export const resourceNameLength = (): StorageFailure =>
  badRequest("OutOfRangeInput", "The specified resource name length is not within the permissible limits.");

export const invalidResourceName = (): StorageFailure =>
  badRequest("InvalidResourceName", "The specified resource name contains invalid characters.");

export const differentPartitions = (): StorageFailure =>
  badRequest(
    "CommandsInBatchActOnDifferentPartitions",
    "All commands in a batch must operate on same entity group.",
  );

const badRequest = (code: string, message: string): StorageFailure => ({ status: 400, code, message });
