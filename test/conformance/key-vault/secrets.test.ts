import { describe, expect, test } from "vitest";

import { failureOf, vaultForTest } from "../../support/vault-client.ts";

// https://learn.microsoft.com/rest/api/keyvault/secrets
describe("secrets", () => {
  test("secrets: set: makes a new version, which is the latest at once", async () => {
    const { vault, client } = await vaultForTest();
    const first = await client.setSecret("api-key", "one");
    const second = await client.setSecret("api-key", "two");
    expect(first.properties.version).toMatch(/^[0-9a-f]{32}$/);
    expect(second.properties.version).not.toBe(first.properties.version);
    expect(second.properties.id).toBe(`${vault.url}/secrets/api-key/${second.properties.version}`);
    expect(await client.getSecret("api-key")).toMatchObject({
      value: "two",
      properties: { version: second.properties.version },
    });
  });

  test("secrets: get by version: answers the value that version had", async () => {
    const { client } = await vaultForTest();
    const { properties } = await client.setSecret("api-key", "one");
    await client.setSecret("api-key", "two");
    const pinned = await client.getSecret("api-key", { version: properties.version ?? "" });
    expect(pinned.value).toBe("one");
  });

  test("secrets: set: keeps content type, tags, enabled and the times in whole seconds", async () => {
    const now = Date.UTC(2030, 0, 1) + 789;
    const { client } = await vaultForTest({ clock: { now: () => now } });
    const notBefore = new Date(Date.UTC(2030, 0, 2));
    const expiresOn = new Date(Date.UTC(2030, 5, 1));
    const tags = { owner: "team-a", purpose: "test ü" };
    await client.setSecret("full", "v", { contentType: "text/plain", tags, notBefore, expiresOn });
    const { properties } = await client.getSecret("full");
    expect(properties).toMatchObject({
      enabled: true,
      contentType: "text/plain",
      tags,
      notBefore,
      expiresOn,
      createdOn: new Date(Date.UTC(2030, 0, 1)),
      updatedOn: new Date(Date.UTC(2030, 0, 1)),
      recoveryLevel: "Recoverable+Purgeable",
      recoverableDays: 90,
    });
  });

  test("secrets: values: any text comes back as it went in", async () => {
    const { client } = await vaultForTest();
    const value = 'quotes " and \\ and \n and ü and 😀 and \u0000';
    await client.setSecret("odd", value);
    expect((await client.getSecret("odd")).value).toBe(value);
  });

  test("secrets: names: are compared without regard to case", async () => {
    const { client } = await vaultForTest();
    await client.setSecret("Api-Key", "one");
    expect((await client.getSecret("aPI-kEY")).value).toBe("one");
  });

  test("secrets: expired or not yet valid: the value is answered all the same", async () => {
    const { client } = await vaultForTest();
    await client.setSecret("old", "v", { expiresOn: new Date(Date.UTC(2001, 0, 1)) });
    await client.setSecret("early", "v", { notBefore: new Date(Date.UTC(2037, 0, 1)) });
    expect((await client.getSecret("old")).value).toBe("v");
    expect((await client.getSecret("early")).value).toBe("v");
  });

  test("secrets: update properties: changes what is given of one version and keeps the rest", async () => {
    const seconds = { now: Date.UTC(2030, 0, 1) };
    const { client } = await vaultForTest({ clock: { now: () => seconds.now } });
    const { properties } = await client.setSecret("p", "v", { contentType: "a", tags: { a: "1", b: "2" } });
    seconds.now += 5000;
    const expiresOn = new Date(Date.UTC(2031, 0, 1));
    const updated = await client.updateSecretProperties("p", properties.version ?? "", {
      tags: { c: "3" },
      expiresOn,
    });
    expect(updated).toMatchObject({ enabled: true, contentType: "a", tags: { c: "3" }, expiresOn });
    expect(updated.updatedOn?.getTime()).toBe(seconds.now);
    const read = await client.getSecret("p");
    expect(read.value).toBe("v");
    expect(read.properties).toMatchObject({ contentType: "a", tags: { c: "3" }, expiresOn });
  });

  test("secrets: disabled version: answers 403 Forbidden, pinned and as the latest, without falling back", async () => {
    const { client } = await vaultForTest();
    const { properties: first } = await client.setSecret("d", "one");
    const { properties: second } = await client.setSecret("d", "two");
    await client.updateSecretProperties("d", second.version ?? "", { enabled: false });
    for (const options of [{}, { version: second.version ?? "" }]) {
      const failure = await failureOf(client.getSecret("d", options));
      expect(failure).toMatchObject({ statusCode: 403, code: "Forbidden" });
      expect(failure["details"]).toMatchObject({ error: { innerError: { code: "SecretDisabled" } } });
    }
    expect((await client.getSecret("d", { version: first.version ?? "" })).value).toBe("one");
    await client.updateSecretProperties("d", second.version ?? "", { enabled: true });
    expect((await client.getSecret("d")).value).toBe("two");
  });

  test("secrets: set disabled: the new version is the latest and answers 403", async () => {
    const { client } = await vaultForTest();
    await client.setSecret("d", "one");
    await client.setSecret("d", "two", { enabled: false });
    expect(await failureOf(client.getSecret("d"))).toMatchObject({ statusCode: 403 });
  });

  test("secrets: missing: a secret or a version that is not there answers 404 SecretNotFound", async () => {
    const { client } = await vaultForTest();
    await client.setSecret("there", "v");
    const version = "0".repeat(32);
    for (const call of [
      client.getSecret("absent"),
      client.getSecret("there", { version }),
      client.updateSecretProperties("there", version, { enabled: false }),
      client.beginDeleteSecret("absent"),
      client.listPropertiesOfSecretVersions("absent").next(),
    ].map(failureOf)) {
      expect(await call).toMatchObject({ statusCode: 404, code: "SecretNotFound" });
    }
  });

  test("secrets: bad name: answers 400 BadParameter", async () => {
    const { client } = await vaultForTest();
    for (const name of ["under_score", "dot.ted", "a".repeat(128), "spa ce"]) {
      expect(await failureOf(client.setSecret(name, "v"))).toMatchObject({
        statusCode: 400,
        code: "BadParameter",
      });
    }
    await client.setSecret("a".repeat(127), "v");
  });

  test("secrets: value over 25 KiB: answers 400 BadParameter and stores nothing", async () => {
    const { client } = await vaultForTest();
    await client.setSecret("large", "x".repeat(25_600));
    for (const value of ["x".repeat(25_601), "ü".repeat(12_801), "x".repeat(300_000)]) {
      const failure = await failureOf(client.setSecret("larger", value));
      expect(failure["statusCode"]).toBe(value.length === 300_000 ? 413 : 400);
    }
    expect(await failureOf(client.getSecret("larger"))).toMatchObject({ statusCode: 404 });
  });

  test("secrets: tags over the limits: answer 400 BadParameter", async () => {
    const { client } = await vaultForTest();
    const sixteen = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`t${n}`, "x"]));
    for (const tags of [sixteen, { long: "x".repeat(257) }]) {
      expect(await failureOf(client.setSecret("t", "v", { tags }))).toMatchObject({
        statusCode: 400,
        code: "BadParameter",
      });
    }
  });

  test("secrets: backup and restore: answer 501 with a message that says so", async () => {
    const { client } = await vaultForTest();
    await client.setSecret("b", "v");
    for (const call of [client.backupSecret("b"), client.restoreSecretBackup(new Uint8Array([1, 2, 3]))].map(
      failureOf,
    )) {
      const failure = await call;
      expect(failure).toMatchObject({ statusCode: 501, code: "NotImplemented" });
      expect(String(failure["message"])).toContain("without backup and restore");
    }
  });
});
