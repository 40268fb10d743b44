import { expect, test } from "vitest";

import { collect } from "../../support/collect.ts";
import { failureOf, vaultForTest } from "../../support/vault-client.ts";

test("secrets: list: shows every secret once, with its latest properties and without value or version", async () => {
  const { client } = await vaultForTest();
  await client.setSecret("a", "1", { tags: { n: "1" } });
  await client.setSecret("a", "2", { tags: { n: "2" } });
  await client.setSecret("b", "3", { enabled: false });
  const listed = await collect(client.listPropertiesOfSecrets());
  expect(listed.map(({ name, tags, enabled, version }) => ({ name, tags, enabled, version }))).toEqual([
    { name: "a", tags: { n: "2" }, enabled: true, version: undefined },
    { name: "b", tags: undefined, enabled: false, version: undefined },
  ]);
  expect(JSON.stringify(listed)).not.toContain('"value"');
});

test("secrets: list versions: shows every version once, in no order of time", async () => {
  const { client } = await vaultForTest();
  const made: (string | undefined)[] = [];
  for (let n = 0; n < 30; n += 1) {
    const { properties } = await client.setSecret("v", `${n}`);
    made.push(properties.version);
  }
  const listed = await collect(client.listPropertiesOfSecretVersions("v"));
  const shown = listed.map(({ version }) => version);
  expect(shown).toHaveLength(30);
  expect(new Set(shown)).toEqual(new Set(made));
  expect(shown).not.toEqual(made);
});

test("secrets: paging: maxresults bounds a page and nextLink leads through all of them", async () => {
  const { client } = await vaultForTest();
  await Promise.all(Array.from({ length: 60 }, (_, n) => client.setSecret(`s-${n}`, "v")));
  const pagesOf = async (maxPageSize?: number): Promise<number[]> => {
    const settings = maxPageSize === undefined ? {} : { maxPageSize };
    const pages = await collect(client.listPropertiesOfSecrets().byPage(settings));
    expect(new Set(pages.flat().map(({ name }) => name)).size).toBe(60);
    return pages.map(({ length }) => length);
  };
  expect(await pagesOf()).toEqual([25, 25, 10]);
  expect(await pagesOf(20)).toEqual([20, 20, 20]);
  expect(await pagesOf(7)).toEqual([7, 7, 7, 7, 7, 7, 7, 7, 4]);
});

test("secrets: paging: what is added or removed between pages neither hides nor repeats anything else", async () => {
  const { client } = await vaultForTest();
  for (const name of ["b", "d", "f", "h"]) await client.setSecret(name, "v");
  const pages = client.listPropertiesOfSecrets().byPage({ maxPageSize: 2 });
  const first: { done?: boolean; value: { name: string }[] } = await pages.next();
  await client.setSecret("a", "v");
  await client.beginDeleteSecret("b", { intervalInMs: 1 });
  const second: { done?: boolean; value: { name: string }[] } = await pages.next();
  expect([...first.value, ...second.value].map(({ name }) => name)).toEqual(["b", "d", "f", "h"]);
});

test("secrets: paging: maxresults outside of 1 to 25 answers 400 BadParameter", async () => {
  const { client } = await vaultForTest();
  for (const maxPageSize of [26, -1]) {
    const call = client.listPropertiesOfSecrets().byPage({ maxPageSize }).next();
    expect(await failureOf(call)).toMatchObject({ statusCode: 400, code: "BadParameter" });
  }
});
