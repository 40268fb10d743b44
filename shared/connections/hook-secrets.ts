import type { SecretClient } from "@azure/keyvault-secrets";

import { isStatus } from "../ledgers/storage-error.ts";
import { hookSecretName } from "./connection.ts";

/** A version that is not named in the connection's row counts for nothing: a crash after this leaves no way in. */
export async function addSecret(vault: SecretClient, connectionId: string, secret: string): Promise<string> {
  const { properties } = await vault.setSecret(hookSecretName(connectionId), secret, {
    contentType: "text/plain",
    tags: { connectionId },
  });
  if (properties.version === undefined) throw new Error("The vault did not name the version it made");
  return properties.version;
}

/** Undefined for a version that was disabled, or is gone: it does not count any more, whatever a row may still say. */
export async function readSecret(
  vault: SecretClient,
  connectionId: string,
  version: string,
): Promise<string | undefined> {
  try {
    return (await vault.getSecret(hookSecretName(connectionId), { version })).value;
  } catch (error) {
    if (isStatus(error, 404) || isStatus(error, 403)) return undefined;
    throw error;
  }
}

/** After the row has let go of it. */
export async function disableSecret(
  vault: SecretClient,
  connectionId: string,
  version: string,
): Promise<void> {
  await vault
    .updateSecretProperties(hookSecretName(connectionId), version, { enabled: false })
    .catch(ignoreMissing);
}

/** All versions, when the connection is deleted. */
export async function deleteSecrets(vault: SecretClient, connectionId: string): Promise<void> {
  await vault.beginDeleteSecret(hookSecretName(connectionId)).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!isStatus(error, 404)) throw error;
}
