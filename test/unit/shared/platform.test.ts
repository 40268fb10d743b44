import { describe, expect, test } from "vitest";

import { isLoopbackHttp } from "../../../shared/platform/credential.ts";
import { createPlatform } from "../../../shared/platform/platform.ts";

describe("the platform's clients", () => {
  test.each([
    ["http://127.0.0.1:8200", true],
    ["http://localhost:1", true],
    ["http://[::1]:1/", true],
    ["https://127.0.0.1", false],
    ["http://127.0.0.1.evil.example", false],
    ["http://10.0.0.1", false],
    ["", false],
  ])("plain http to %s is allowed: %s", (url, allowed) => {
    expect(isLoopbackHttp(url)).toBe(allowed);
  });

  test("a vault over plain http elsewhere than on this machine is refused", async () => {
    const platform = createPlatform({ KEY_VAULT_URL: "http://vault.example" });
    await expect(platform.secrets()).rejects.toMatchObject({ code: "settings-incomplete" });
  });

  test("a missing setting is named", async () => {
    const platform = createPlatform({});
    await expect(platform.table("tenants")).rejects.toThrow("AzureWebJobsStorage__tableServiceUri");
    await expect(platform.container("raw")).rejects.toThrow("AzureWebJobsStorage__blobServiceUri");
    await expect(platform.openBus()).rejects.toThrow("ServiceBusConnection__fullyQualifiedNamespace");
    await expect(platform.secrets()).rejects.toThrow("KEY_VAULT_URL");
  });

  test("an address without a connection string means managed identity, which is asked for only when used", async () => {
    const platform = createPlatform({
      AzureWebJobsStorage__tableServiceUri: "https://account.table.core.windows.net",
      AzureWebJobsStorage__blobServiceUri: "https://account.blob.core.windows.net/",
      ServiceBusConnection__fullyQualifiedNamespace: "name.servicebus.windows.net",
      KEY_VAULT_URL: "https://name.vault.azure.net",
      AZURE_CLIENT_ID: "00000000-0000-0000-0000-000000000000",
    });
    expect((await platform.table("tenants")).url).toBe("https://account.table.core.windows.net");
    expect((await platform.container("raw")).url).toBe("https://account.blob.core.windows.net/raw");
    expect((await platform.openBus()).fullyQualifiedNamespace).toBe("name.servicebus.windows.net");
    expect((await platform.secrets()).vaultUrl).toBe("https://name.vault.azure.net");
    expect(await platform.table("tenants")).toBe(await platform.table("tenants"));
  });
});
