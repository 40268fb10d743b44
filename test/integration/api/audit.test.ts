import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { auditTable, entryKey } from "../../../shared/ledgers/audit.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { issueKey } from "../../support/issue-key.ts";
import { startTestStack, type TestStack } from "../../support/test-stack.ts";

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack();
});

afterAll(() => stack.stop());

interface Entry {
  readonly seq: number;
  readonly phase: string;
  readonly action: string;
  readonly target: string;
  readonly hash: string;
  readonly correlationId: string;
}

async function tenant(tenantId: string): Promise<ApiClient> {
  return createApiClient(stack.host.url, await issueKey(stack.platform, { tenantId }));
}

async function entries(api: ApiClient): Promise<Entry[]> {
  const { body } = await api.request("GET", "/api/v1/audit?limit=200");
  return (body as { items: Entry[] }).items;
}

const verify = async (api: ApiClient, query = ""): Promise<unknown> =>
  (await api.request("GET", `/api/v1/audit/verify${query}`)).body;

const connect = (api: ApiClient, name = "c"): ReturnType<ApiClient["request"]> =>
  api.request("POST", "/api/v1/connections", { body: { name, source: "github" } });

describe("RTE-04, SEC-02: the audit", () => {
  test("tells of a change before it is made and after it, under one correlation id", async () => {
    const api = await tenant("told");
    const made = await connect(api, "told");
    const { connectionId } = made.body as { connectionId: string };
    const [done, intent] = await entries(api);
    const correlationId = made.headers.get("x-correlation-id");
    const action = "connection.create";
    expect(intent).toMatchObject({
      seq: 1,
      phase: "intent",
      action,
      target: "connections/new",
      correlationId,
      role: "admin",
      details: { name: "told", source: "github" },
    });
    expect(done).toMatchObject({
      seq: 2,
      phase: "done",
      action,
      target: `connections/${connectionId}`,
      correlationId,
    });
  });

  test("tells of what was tried in vain, and not of what was only read or was refused at the door", async () => {
    const api = await tenant("vain");
    const path = `/api/v1/connections/${"0".repeat(32)}`;
    await api.request("DELETE", path);
    await api.request("GET", path);
    await api.request("PATCH", path, { body: {} });
    expect(await entries(api)).toMatchObject([
      { phase: "failed", action: "connection.delete", details: { fault: "not-found" } },
      { phase: "intent", action: "connection.delete" },
    ]);
  });

  test("belongs to one tenant, and is whole after many changes at once", async () => {
    const [api, other] = await Promise.all([tenant("busy"), tenant("quiet")]);
    await Promise.all(Array.from({ length: 30 }, () => connect(api)));
    const found = await entries(api);
    expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, index) => 60 - index));
    expect(await verify(api)).toEqual({ ok: true, checked: 60, head: { seq: 60, hash: found[0]?.hash } });
    expect(await verify(other)).toEqual({ ok: true, checked: 0 });
  });

  test("is listed in pages, the newest first, each entry once", async () => {
    const api = await tenant("paged-audit");
    for (let count = 0; count < 4; count++) await connect(api);
    const seqs: number[] = [];
    let query = "?limit=3";
    for (;;) {
      const { body } = await api.request("GET", `/api/v1/audit${query}`);
      const { items, nextCursor } = body as { items: Entry[]; nextCursor?: string };
      seqs.push(...items.map(({ seq }) => seq));
      if (nextCursor === undefined) break;
      query = `?limit=3&cursor=${nextCursor}`;
    }
    expect(seqs).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test.each([
    ["changed", "entry-changed", 3],
    ["taken away", "entry-missing", 3],
    ["the first, and taken away", "entry-missing", 1],
    ["changed, with a hash that fits", "link-broken", 3],
  ])("shows that an entry was %s", async (how, reason, seq) => {
    const tenantId = `tampered-${how.replaceAll(/\W/g, "")}`;
    const api = await tenant(tenantId);
    for (let count = 0; count < 3; count++) await connect(api);
    const table = await stack.platform.table(auditTable);
    const row = { partitionKey: tenantId, rowKey: entryKey(seq) };
    if (how.endsWith("taken away")) await table.deleteEntity(row.partitionKey, row.rowKey);
    else if (how === "changed") await table.updateEntity({ ...row, actor: "somebody else" });
    else await table.updateEntity({ ...row, actor: "somebody else", hash: "f".repeat(64) });
    expect(await verify(api)).toMatchObject({ ok: false, break: { seq, reason } });
  });

  test("shows that the head was taken away, or that the newest entries were", async () => {
    const [beheaded, cut] = await Promise.all([tenant("beheaded"), tenant("cut")]);
    await Promise.all([connect(beheaded), connect(cut)]);
    const table = await stack.platform.table(auditTable);
    await table.deleteEntity("beheaded", "head");
    expect(await verify(beheaded)).toMatchObject({ ok: false, break: { seq: 3, reason: "entry-missing" } });
    await table.deleteEntity("cut", entryKey(2));
    expect(await verify(cut)).toMatchObject({ ok: false, break: { seq: 2, reason: "entry-missing" } });
  });

  test("shows a chain that was made anew, to whoever noted a hash of the one before", async () => {
    const api = await tenant("anchored");
    await connect(api);
    const [, first] = await entries(api);
    const noted = `?anchorSeq=1&anchorHash=${first?.hash}`;
    expect(await verify(api, noted)).toMatchObject({ ok: true });
    const table = await stack.platform.table(auditTable);
    for (const key of ["head", entryKey(1), entryKey(2)]) await table.deleteEntity("anchored", key);
    expect(await verify(api, noted)).toMatchObject({ ok: false, break: { seq: 1, reason: "entry-missing" } });
    await connect(api);
    expect(await verify(api)).toMatchObject({ ok: true });
    expect(await verify(api, noted)).toMatchObject({
      ok: false,
      break: { seq: 1, reason: "anchor-differs" },
    });
  });
});
