import type { TokenCredential } from "@azure/identity";

import type { SettingValues } from "../settings.ts";

/**
 * Managed identity and nothing else: a chain of credentials would probe for a second on every laptop, and could find
 * a developer's login in the cloud. Loaded only where it is used, for the sake of the cold start.
 */
export async function managedIdentity(settings: SettingValues): Promise<TokenCredential> {
  const { ManagedIdentityCredential } = await import("@azure/identity");
  const clientId = settings.AZURE_CLIENT_ID;
  return clientId === undefined
    ? new ManagedIdentityCredential()
    : new ManagedIdentityCredential({ clientId });
}

/** Plain http never leaves the machine. */
export function isLoopbackHttp(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}
