/**
 * One named maker for each error the service documents. `SecretClient` shows the status as `statusCode` and the code
 * as `code`. No message ever carries a secret's value, nor text of a request's body.
 * https://learn.microsoft.com/rest/api/keyvault/secrets
 */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly status: number;
  readonly code: string;
  readonly innerCode: string | undefined;

  constructor(status: number, code: string, message: string, innerCode?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.innerCode = innerCode;
  }
}

export const unauthorized = (): VaultError =>
  new VaultError(401, "Unauthorized", "AKV10000: Request is missing a Bearer or PoP token.");

export const secretNotFound = (name: string, version?: string): VaultError =>
  new VaultError(
    404,
    "SecretNotFound",
    `A secret with (name/id) ${version === undefined ? name : `${name}/${version}`} was not found in this key vault. ` +
      "If you recently deleted this secret you may be able to recover it using the correct recovery command.",
  );

export const deletedSecretNotFound = (name: string): VaultError =>
  new VaultError(404, "SecretNotFound", `Deleted Secret not found: ${name}`);

export const secretDisabled = (): VaultError =>
  new VaultError(403, "Forbidden", "Operation get is not allowed on a disabled secret.", "SecretDisabled");

export const deletedButRecoverable = (name: string): VaultError =>
  new VaultError(
    409,
    "Conflict",
    `Secret ${name} is currently in a deleted but recoverable state, and its name cannot be reused; ` +
      "in this state, the secret can only be recovered or purged.",
    "ObjectIsDeletedButRecoverable",
  );

export const badParameter = (message: string): VaultError => new VaultError(400, "BadParameter", message);

export const bodyTooLarge = (limit: number): VaultError =>
  new VaultError(413, "RequestEntityTooLarge", `The request body is larger than ${limit} bytes.`);

export const notSupported = (operation: string): VaultError =>
  new VaultError(
    501,
    "NotImplemented",
    `This vault keeps secrets, without backup and restore: it does not support ${operation}.`,
  );

const internalError = (): VaultError =>
  new VaultError(500, "InternalServerError", "The vault failed; its log names the cause.");

/** Names any thrown value: what nobody named is ours to answer for, and its text stays out of the answer. */
export function toVaultError(thrown: unknown): VaultError {
  return thrown instanceof VaultError ? thrown : internalError();
}
