import type { TokenCredential } from "@azure/identity";
import type { SecretClient } from "@azure/keyvault-secrets";

import { Fault } from "../faults.ts";
import type { SettingValues } from "../settings.ts";
import { isLoopbackHttp, managedIdentity } from "./credential.ts";

const hour = 3_600_000;

/** The local vault asks for a token, as the real one does, and takes any. */
const localCredential: TokenCredential = {
  getToken: () => Promise.resolve({ token: "local", expiresOnTimestamp: Date.now() + hour }),
};

export async function createSecrets(settings: SettingValues): Promise<SecretClient> {
  const url = settings.KEY_VAULT_URL;
  if (url === undefined) throw new Fault("settings-incomplete", "KEY_VAULT_URL is not set.");
  const { SecretClient: Client } = await import("@azure/keyvault-secrets");
  if (isLoopbackHttp(url)) {
    const options = { allowInsecureConnection: true, disableChallengeResourceVerification: true };
    return new Client(url, localCredential, options);
  }
  if (!url.startsWith("https://")) {
    throw new Fault("settings-incomplete", "KEY_VAULT_URL must be https, or http on this machine.");
  }
  return new Client(url, await managedIdentity(settings));
}
