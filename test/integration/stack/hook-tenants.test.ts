import { randomUUID } from "node:crypto";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { RouteConfig } from "../../../shared/config/route-schema.ts";
import { putConfig, routeConfigsTable } from "../../../shared/ledgers/configs.ts";
import { failuresTable, findFailure } from "../../../shared/ledgers/failures.ts";
import { findWebhook, inboxTable } from "../../../shared/ledgers/inbox.ts";
import { findSubject, subjectsTable } from "../../../shared/ledgers/subjects.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { type Hook, type HookBench, startHookBench } from "../../support/hook-bench.ts";
import { issueKey } from "../../support/issue-key.ts";
import { type Signer, signingCase } from "../../support/sign/signing-cases.ts";
import { until } from "../../support/until.ts";

interface Tenant {
  readonly tenantId: string;
  readonly api: ApiClient;
  readonly hook: Hook;
}

let bench: HookBench;
let acme: Tenant;
let globex: Tenant;

/** Both know the same secret, as two departments may that share an app: only the address tells them apart. */
const github = signingCase("github");
const shared: Signer = github.newSigner();
const sharing = { ...github, newSigner: () => shared };

beforeAll(async () => {
  bench = await startHookBench();
  [acme, globex] = await Promise.all([tenant("acme"), tenant("globex")]);
  const own = { routeName: "own", subject: "#" };
  const theirs = { routeName: "theirs", connectionId: acme.hook.connectionId };
  await Promise.all([configure("acme", own), configure("globex", own, theirs)]);
});
afterAll(() => bench?.stop());

async function tenant(tenantId: string): Promise<Tenant> {
  const { platform, host } = bench.stack;
  const api = createApiClient(host.url, await issueKey(platform, { tenantId }));
  const hook = await bench.connectSource(sharing, {}, api);
  return { tenantId, api, hook };
}

/** Every tenant's route sends below a path of its own. */
async function configure(tenantId: string, ...routes: readonly object[]): Promise<void> {
  const config = {
    routes: routes.map((route) => ({
      enabled: true,
      endpointKey: "sink",
      operation: { kind: "generic-http", method: "POST", path: `/${tenantId}` },
      ledger: { keyFormulaRef: "DELIVERY" },
      ...route,
    })),
    endpoints: { sink: { url: bench.sink.url } },
  } as unknown as RouteConfig;
  const table = await bench.stack.platform.table(routeConfigsTable);
  await putConfig(table, tenantId, config, { by: "test", now: new Date() });
}

async function tenantThatGot(correlationId: string): Promise<string[]> {
  await bench.arrived(correlationId);
  await bench.stack.host.idle();
  return bench.sink.requests
    .filter(({ headers }) => headers["x-correlation-id"] === correlationId)
    .map(({ path }) => path.slice(1));
}

describe("SEC-01, ING-05: the same webhook, signed with the same secret, at the hooks of two tenants", () => {
  test("is two events, each stored for its own tenant and acted on by its own routes", async () => {
    const delivery = randomUUID();
    const answers = await Promise.all([acme, globex].map(({ hook }) => hook.deliver({ delivery })));
    expect(answers.map(({ body }) => body.duplicate)).toEqual([false, false]);
    const [ours = "", theirs = ""] = answers.map(({ body }) => body.correlationId);
    expect(ours).not.toBe(theirs);
    expect(await tenantThatGot(ours)).toEqual(["acme"]);
    expect(await tenantThatGot(theirs)).toEqual(["globex"]);
    const inbox = await bench.stack.platform.table(inboxTable);
    expect((await findWebhook(inbox, "acme", ours))?.envelope.tenantid).toBe("acme");
    expect(await findWebhook(inbox, "globex", ours)).toBeUndefined();
    expect(await findWebhook(inbox, "demo", ours)).toBeUndefined();
  });

  test("stays with the tenant of the address, whatever the request says besides", async () => {
    const { headers, body } = acme.hook.sample();
    const hints = {
      "x-tenant-id": "globex",
      tenantid: "globex",
      "x-connection-id": globex.hook.connectionId,
      "ce-tenantid": "globex",
    };
    const { correlationId } = (await acme.hook.send({ headers: { ...headers, ...hints }, body })).body;
    expect(await tenantThatGot(correlationId)).toEqual(["acme"]);
  });

  test("stays with it though the payload says otherwise", async () => {
    const change = { tenantid: "globex", tenantId: "globex", connectionid: globex.hook.connectionId };
    const { correlationId } = (await acme.hook.deliver({ change })).body;
    expect(await tenantThatGot(correlationId)).toEqual(["acme"]);
  });
});

describe("SEC-01: another tenant", () => {
  test("cannot see the event, its bytes or its timeline, and learns of no difference to one that never was", async () => {
    const { correlationId } = (await acme.hook.deliver()).body;
    await bench.arrived(correlationId);
    for (const path of ["events/{id}", "events/{id}/raw", "correlations/{id}"]) {
      const ask = (id: string, { api }: Tenant) => api.request("GET", `/api/v1/${path.replace("{id}", id)}`);
      expect((await ask(correlationId, acme)).status, path).toBe(200);
      const [theirs, nobodys] = await Promise.all([ask(correlationId, globex), ask("0".repeat(32), globex)]);
      expect(theirs.status, path).toBe(404);
      expect(withoutIds(theirs.text)).toBe(withoutIds(nobodys.text));
    }
  });

  test("gets no event by naming the connection in a route of its own", async () => {
    const { correlationId } = (await acme.hook.deliver()).body;
    expect(await tenantThatGot(correlationId)).toEqual(["acme"]);
  });

  test("is not told of refused signatures, quarantined webhooks and observed subjects", async () => {
    const name = "only-acme";
    const how = signingCase("standard-webhooks, v1");
    const hook = await bench.connectSource(how, { normaliserConfig: { name } }, acme.api);
    const sample = hook.sample();
    await hook.send({ headers: {}, body: sample.body });
    const target = `connections/${hook.connectionId}`;
    await until("the refusal in the audit", async () =>
      (await audited(acme)).find((each) => each === target),
    );
    expect(await audited(globex)).not.toContain(target);

    const { correlationId } = (await hook.send(hook.signed("{"))).body;
    const failures = await bench.stack.platform.table(failuresTable);
    expect((await findFailure(failures, "acme", correlationId))?.state).toBe("Quarantined");
    expect(await findFailure(failures, "globex", correlationId)).toBeUndefined();

    await bench.arrived((await hook.deliver()).body.correlationId);
    const subjects = await bench.stack.platform.table(subjectsTable);
    const subject = `${name}.events.contact.created`;
    await until("the subject", () => findSubject(subjects, "acme", subject));
    expect(await findSubject(subjects, "globex", subject)).toBeUndefined();
  });

  test("cannot sign for a hook that is not its own", async () => {
    const [ours, theirs] = await Promise.all([
      bench.connectSource(github, {}, acme.api),
      bench.connectSource(github, {}, globex.api),
    ]);
    expect((await ours.send(theirs.sample())).status).toBe(401);
  });

  test("cannot change the hook", async () => {
    const path = `/api/v1/connections/${acme.hook.connectionId}`;
    const tries = await Promise.all([
      globex.api.request("PATCH", path, { body: { enabled: false } }),
      globex.api.request("DELETE", path),
      globex.api.request("POST", `${path}/secrets`, { body: {} }),
    ]);
    expect(tries.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await acme.hook.deliver()).status).toBe(202);
  });
});

test("SEC-03: none of it left a secret in a table, a blob, a log line or an answer", async () => {
  expect(await bench.leaks()).toEqual([]);
});

async function audited({ api }: Tenant): Promise<string[]> {
  const { body } = await api.request("GET", "/api/v1/audit?limit=200");
  const { items } = body as { items: { action: string; target: string }[] };
  return items.flatMap(({ action, target }) => (action === "webhook.refused" ? [target] : []));
}

/** Every answer has a correlation id of its own. */
function withoutIds(text: string): string {
  return text.replaceAll(/"correlationId":"[^"]*"/g, "");
}
