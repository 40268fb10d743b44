import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { startKeyVault } from "../../../local/key-vault/server.ts";
import { collect } from "../../support/collect.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { failureOf, vaultClient, vaultForTest } from "../../support/vault-client.ts";

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

test("vault: restart: secrets, versions, properties and deletions are as they were", async () => {
  const file = join(temporaryFolder(), "deep", "secrets.jsonl");
  const before = await startKeyVault({ port: 0, file });
  const client = vaultClient(before.url);
  const { properties: first } = await client.setSecret("kept", "one");
  const { properties: second } = await client.setSecret("kept", "two");
  await client.updateSecretProperties("kept", first.version ?? "", { enabled: false, tags: { old: "yes" } });
  for (const name of ["deleted", "recovered", "purged"]) {
    await client.setSecret(name, name);
    await client.beginDeleteSecret(name, { intervalInMs: 1 });
  }
  await client.beginRecoverDeletedSecret("recovered", { intervalInMs: 1 });
  await client.purgeDeletedSecret("purged");
  await before.stop();

  const { client: again } = await vaultForTest({ file });
  expect(await again.getSecret("kept")).toMatchObject({
    value: "two",
    properties: { version: second.version },
  });
  const old = (await collect(again.listPropertiesOfSecretVersions("kept"))).find(
    ({ version }) => version === first.version,
  );
  expect(old).toMatchObject({ enabled: false, tags: { old: "yes" }, createdOn: first.createdOn });
  expect((await again.getSecret("recovered")).value).toBe("recovered");
  expect((await collect(again.listDeletedSecrets())).map(({ name }) => name)).toEqual(["deleted"]);
});

test("vault: file: is readable by its owner alone, also when it was not before", async () => {
  const folder = temporaryFolder();
  const file = join(folder, "secrets.jsonl");
  const first = await startKeyVault({ port: 0, file });
  await vaultClient(first.url).setSecret("x", "v");
  expect(modeOf(file)).toBe("600");
  await first.stop();
  chmodSync(file, 0o644);
  const { client } = await vaultForTest({ file });
  expect(modeOf(file)).toBe("600");
  expect((await client.getSecret("x")).value).toBe("v");
  expect(readdirSync(folder)).toEqual(["secrets.jsonl"]);
});

test("vault: file: a purged value is no longer in it", async () => {
  const file = join(temporaryFolder(), "secrets.jsonl");
  const { client } = await vaultForTest({ file });
  await client.setSecret("gone", "hunter2");
  expect(readFileSync(file, "utf8")).toContain("hunter2");
  await client.beginDeleteSecret("gone", { intervalInMs: 1 });
  await client.purgeDeletedSecret("gone");
  expect(readFileSync(file, "utf8")).not.toContain("hunter2");
});

test("vault: file: a last line cut off by a crash is left out; any other damage stops the start, unquoted", async () => {
  const file = join(temporaryFolder(), "secrets.jsonl");
  const first = await startKeyVault({ port: 0, file });
  await vaultClient(first.url).setSecret("x", "v");
  await first.stop();
  appendFileSync(file, '{"kind":"set","name":"torn","version":{"value":"hun');
  const second = await startKeyVault({ port: 0, file });
  expect((await vaultClient(second.url).getSecret("x")).value).toBe("v");
  await second.stop();
  appendFileSync(file, '{"kind":"set" hunter2\n{"kind":"purge","name":"y"}\n');
  const failure = await failureOf(startKeyVault({ port: 0, file }));
  expect(failure).toMatchObject({ name: "StartError" });
  expect(failure["message"]).toBe(
    `Line 3 of ${file} cannot be read; mend or remove the line, or move the file away`,
  );
});

test("vault: file: a file that is not a vault's is not overwritten", async () => {
  const file = join(temporaryFolder(), "secrets.jsonl");
  writeFileSync(file, "precious\n");
  expect(await failureOf(startKeyVault({ port: 0, file }))).toMatchObject({ name: "StartError" });
  expect(readFileSync(file, "utf8")).toBe("precious\n");
});

test("vault: file: a second vault on the same file is refused, and may have it when the first has stopped", async () => {
  const file = join(temporaryFolder(), "secrets.jsonl");
  const first = await startKeyVault({ port: 0, file });
  expect((await failureOf(startKeyVault({ port: 0, file })))["message"]).toContain(
    "is in use by another server",
  );
  await vaultClient(first.url).setSecret("x", "v");
  await first.stop();
  const { client } = await vaultForTest({ file });
  expect((await client.getSecret("x")).value).toBe("v");
});

test("vault: file: grows by what is written, and is rewritten once it has doubled past a mebibyte", async () => {
  const file = join(temporaryFolder(), "secrets.jsonl");
  const { client } = await vaultForTest({ file });
  const { properties } = await client.setSecret("x", "v".repeat(20_000));
  const version = properties.version ?? "";
  const tags = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`${n}`, "t".repeat(256)]));
  const sizes: number[] = [];
  for (let round = 0; round < 300; round += 1) {
    await client.updateSecretProperties("x", version, { tags: { ...tags, 0: `${round}` } });
    sizes.push(statSync(file).size);
  }
  expect(Math.max(...sizes)).toBeLessThan(1.1 * 1024 * 1024);
  expect(sizes.filter((size, index) => size < (sizes[index - 1] ?? 0))).toHaveLength(1);
});

test("vault: disk failure: answers 500 until the file can be written again, and then has lost nothing", async () => {
  const folder = join(temporaryFolder(), "data");
  const file = join(folder, "secrets.jsonl");
  const lines: string[] = [];
  const vault = await startKeyVault({ port: 0, file, log: (line) => void lines.push(line) });
  const client = vaultClient(vault.url, { retryOptions: { maxRetries: 0 } });
  await client.setSecret("kept", "v");
  await client.setSecret("gone", "v");
  await client.beginDeleteSecret("gone", { intervalInMs: 1 });
  rmSync(folder, { recursive: true });
  expect(await failureOf(client.purgeDeletedSecret("gone"))).toMatchObject({ statusCode: 500 });
  expect(await failureOf(client.setSecret("doubtful", "v"))).toMatchObject({ statusCode: 500 });
  expect(new Set(lines)).toEqual(new Set(["A request failed: ENOENT"]));
  mkdirSync(folder);
  await client.setSecret("later", "v");
  await vault.stop();
  const { client: again } = await vaultForTest({ file });
  const names = (await collect(again.listPropertiesOfSecrets())).map(({ name }) => name);
  expect(names).toEqual(["doubtful", "kept", "later"]);
  expect(await collect(again.listDeletedSecrets())).toEqual([]);
});

test("vault: stop: what has been asked is answered, and is there after", async () => {
  const file = join(temporaryFolder(), "secrets.jsonl");
  const vault = await startKeyVault({ port: 0, file });
  const client = vaultClient(vault.url, { retryOptions: { maxRetries: 0 } });
  await client.setSecret("warm", "v");
  const sets = Array.from({ length: 64 }, (_, n) =>
    client.setSecret(`s-${n}`, `${n}`).then(
      ({ name }) => name,
      () => undefined,
    ),
  );
  await Promise.race(sets);
  await vault.stop();
  const acknowledged = (await Promise.all(sets)).filter((name) => name !== undefined);
  const { client: again } = await vaultForTest({ file });
  const kept = new Set((await collect(again.listPropertiesOfSecrets())).map(({ name }) => name));
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
});

test("vault: port: one that is taken is a readable StartError, and the file is not touched", async () => {
  const { vault } = await vaultForTest();
  const file = join(temporaryFolder(), "secrets.jsonl");
  const failure = await failureOf(startKeyVault({ port: vault.port, file }));
  expect(failure).toMatchObject({ name: "StartError" });
  expect(failure["message"]).toBe(
    `Key Vault cannot listen on 127.0.0.1:${vault.port}: it is taken; stop what uses it or choose another`,
  );
  expect(() => statSync(file)).toThrow("ENOENT");
});
