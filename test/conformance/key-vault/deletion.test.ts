import { expect, test } from "vitest";

import { collect } from "../../support/collect.ts";
import { failureOf, vaultForTest } from "../../support/vault-client.ts";

const promptly = { intervalInMs: 1 };

test("secrets: delete: the secret is gone from reads and lists and shows among the deleted", async () => {
  const now = Date.UTC(2030, 0, 1);
  const { vault, client } = await vaultForTest({ clock: { now: () => now } });
  await client.setSecret("x", "v", { tags: { a: "b" } });
  const poller = await client.beginDeleteSecret("x", promptly);
  const deleted = await poller.pollUntilDone();
  expect(deleted.name).toBe("x");
  expect(deleted.properties).toMatchObject({
    recoveryId: `${vault.url}/deletedsecrets/x`,
    deletedOn: new Date(now),
    scheduledPurgeDate: new Date(now + 90 * 86_400_000),
    tags: { a: "b" },
  });
  expect(await failureOf(client.getSecret("x"))).toMatchObject({ statusCode: 404, code: "SecretNotFound" });
  expect(await collect(client.listPropertiesOfSecrets())).toEqual([]);
  expect((await client.getDeletedSecret("x")).name).toBe("x");
  expect((await collect(client.listDeletedSecrets())).map(({ name }) => name)).toEqual(["x"]);
});

test("secrets: set while soft-deleted: answers 409 Conflict, ObjectIsDeletedButRecoverable", async () => {
  const { client } = await vaultForTest();
  await client.setSecret("x", "v");
  await client.beginDeleteSecret("x", promptly);
  const failure = await failureOf(client.setSecret("x", "w"));
  expect(failure).toMatchObject({ statusCode: 409, code: "Conflict" });
  expect(failure["details"]).toMatchObject({
    error: { innerError: { code: "ObjectIsDeletedButRecoverable" } },
  });
});

test("secrets: recover: every version is back, with its value and properties", async () => {
  const { client } = await vaultForTest();
  const { properties: first } = await client.setSecret("x", "one", { tags: { n: "1" } });
  await client.setSecret("x", "two");
  await client.beginDeleteSecret("x", promptly);
  const recovery = await client.beginRecoverDeletedSecret("x", promptly);
  expect((await recovery.pollUntilDone()).name).toBe("x");
  expect((await client.getSecret("x")).value).toBe("two");
  const pinned = await client.getSecret("x", { version: first.version ?? "" });
  expect(pinned).toMatchObject({ value: "one", properties: { tags: { n: "1" } } });
  expect(await collect(client.listDeletedSecrets())).toEqual([]);
  await client.setSecret("x", "three");
});

test("secrets: purge: nothing is left, and the name is free for a secret without the old versions", async () => {
  const { client } = await vaultForTest();
  await client.setSecret("x", "one");
  await client.beginDeleteSecret("x", promptly);
  await client.purgeDeletedSecret("x");
  expect(await failureOf(client.getDeletedSecret("x"))).toMatchObject({ statusCode: 404 });
  expect(await failureOf(client.purgeDeletedSecret("x"))).toMatchObject({ statusCode: 404 });
  expect(await failureOf(client.beginRecoverDeletedSecret("x"))).toMatchObject({ statusCode: 404 });
  await client.setSecret("x", "two");
  expect(await collect(client.listPropertiesOfSecretVersions("x"))).toHaveLength(1);
});

test("secrets: list deleted: pages like other lists", async () => {
  const { client } = await vaultForTest();
  for (let n = 0; n < 5; n += 1) {
    await client.setSecret(`x${n}`, "v");
    await client.beginDeleteSecret(`x${n}`, promptly);
  }
  const pages = await collect(client.listDeletedSecrets().byPage({ maxPageSize: 2 }));
  expect(pages.map((page) => page.map(({ name }) => name))).toEqual([["x0", "x1"], ["x2", "x3"], ["x4"]]);
});

test("secrets: end of the retention: after 90 days a deleted secret is purged", async () => {
  const time = { now: Date.UTC(2030, 0, 1) };
  const { client } = await vaultForTest({ clock: { now: () => time.now } });
  await client.setSecret("x", "v");
  await client.beginDeleteSecret("x", promptly);
  time.now += 90 * 86_400_000 - 1000;
  expect((await client.getDeletedSecret("x")).name).toBe("x");
  time.now += 1000;
  expect(await failureOf(client.getDeletedSecret("x"))).toMatchObject({ statusCode: 404 });
  await client.setSecret("x", "again");
});
