import { SecretClient, type SecretClientOptions } from "@azure/keyvault-secrets";
import { onTestFinished } from "vitest";

import { startKeyVault, type KeyVaultOptions, type KeyVaultServer } from "../../local/key-vault/server.ts";

/** The official client as the product makes it for a vault on this machine. */
export function vaultClient(url: string, options: SecretClientOptions = {}): SecretClient {
  const credential = {
    getToken: () => Promise.resolve({ token: "local", expiresOnTimestamp: Date.now() + 3_600_000 }),
  };
  return new SecretClient(url, credential, {
    allowInsecureConnection: true,
    disableChallengeResourceVerification: true,
    ...options,
  });
}

/** A vault for one test, and a client for it. */
export async function vaultForTest(
  options: Partial<KeyVaultOptions> = {},
): Promise<{ vault: KeyVaultServer; client: SecretClient }> {
  const vault = await startKeyVault({ port: 0, ...options });
  onTestFinished(() => vault.stop());
  return { vault, client: vaultClient(vault.url) };
}

/** What a call that must fail fails with. */
export async function failureOf(call: Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  try {
    await call;
  } catch (error) {
    return error as Readonly<Record<string, unknown>>;
  }
  throw new Error("The call did not fail.");
}
