import { app } from "@azure/functions";

import type { Answer } from "../shared/api/answer.ts";
import * as endpoints from "../shared/api/endpoints/config.ts";
import { fitting } from "../shared/api/invalid.ts";
import { decodeSequence, encodeCursor } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { exportArtifact, readArtifact } from "../shared/config/artifact.ts";
import { configHash } from "../shared/config/config-hash.ts";
import { diffConfigs } from "../shared/config/diff.ts";
import {
  auditOf,
  replaceConfig,
  type Replaced,
  type ReplaceOptions,
} from "../shared/config/replace-config.ts";
import type { RouteConfig } from "../shared/config/route-schema.ts";
import { surroundingsOf } from "../shared/config/surroundings-of.ts";
import { validateConfig } from "../shared/config/validate.ts";
import { auditPayloadRead } from "../shared/events/audit-payload-read.ts";
import { Fault } from "../shared/faults.ts";
import { type ConfigHead, listVersions, readHead, readVersion } from "../shared/ledgers/configs.ts";
import { explainEvent } from "../shared/routing/explain-event.ts";
import { type Services, services } from "../shared/services.ts";

app.http(
  ...serve(endpoints.readConfig, async ({ caller }) => {
    const { head, config } = await currentConfig(await services(), caller.tenantId);
    const { hash, seq, etag } = head;
    return { status: 200, body: { hash, version: seq, config }, headers: { etag } };
  }),
);

app.http(
  ...serve(endpoints.putConfig, async ({ caller, body, query, ifMatch, now }) =>
    answerTo(await replaceConfig(await services(), caller, body, optionsOf(now, ifMatch, query.comment))),
  ),
);

app.http(
  ...serve(endpoints.validateConfig, async ({ caller, body }) => {
    const all = await services();
    const { config, errors, warnings } = validateConfig(body, await surroundingsOf(all, caller.tenantId));
    if (config === undefined) return { status: 200, body: { valid: false, errors, warnings } };
    const head = await readHead(all.tables.configs, caller.tenantId);
    const before = head && (await readVersion(all.tables.configs, caller.tenantId, head.hash));
    const diff = diffConfigs(before ?? { routes: [] }, config);
    return { status: 200, body: { valid: true, errors, warnings, hash: configHash(config), diff } };
  }),
);

app.http(
  ...serve(endpoints.listConfigVersions, async ({ caller, query }) => {
    const { tables } = await services();
    const before = decodeSequence(query.cursor);
    const page = await listVersions(tables.configs, caller.tenantId, {
      limit: query.limit,
      ...(before !== undefined && { before }),
    });
    const items = page.changes.map(({ seq, ...change }) => ({ version: seq, ...change }));
    const nextCursor = page.before !== undefined && { nextCursor: encodeCursor(String(page.before)) };
    return { status: 200, body: { items, ...nextCursor } };
  }),
);

app.http(
  ...serve(endpoints.readConfigVersion, async ({ caller, params: { hash } }) => {
    const config = await versionOf(await services(), caller.tenantId, hash);
    return { status: 200, body: { hash, config } };
  }),
);

app.http(
  ...serve(endpoints.rollbackConfig, async ({ caller, body, ifMatch, now }) => {
    const all = await services();
    const config = await versionOf(all, caller.tenantId, body.hash);
    const comment = body.comment ?? `Rolled back to ${body.hash}`;
    return answerTo(await replaceConfig(all, caller, config, optionsOf(now, ifMatch, comment)));
  }),
);

app.http(
  ...serve(endpoints.exportConfig, async ({ caller, query, now }) => {
    const all = await services();
    const { environment } = all;
    const { config } = await currentConfig(all, caller.tenantId);
    const { comment } = query;
    const artifact = exportArtifact(config, { environment, now, ...(comment !== undefined && { comment }) });
    const fileName = `routes-${environment.replaceAll(/[^\w-]/g, "_")}-${artifact.hash.slice(0, 8)}.json`;
    const headers = { "content-disposition": `attachment; filename="${fileName}"` };
    return { status: 200, body: artifact, headers };
  }),
);

app.http(
  ...serve(endpoints.importConfig, async ({ caller, body, query, ifMatch, now }) => {
    const artifact = fitting("body", () => readArtifact(body));
    const options = optionsOf(now, ifMatch, query.comment ?? artifact.comment);
    const { config, promotedFrom } = artifact;
    return answerTo(await replaceConfig(await services(), caller, config, { ...options, promotedFrom }));
  }),
);

app.http(
  ...serve(endpoints.explainConfig, async ({ caller, body, correlationId, now }) => {
    const all = await services();
    const { eventId } = body;
    const explanation = await explainEvent(all, caller, body, now);
    if (eventId !== undefined)
      await auditPayloadRead(all, caller, { eventId, correlationId, now, by: "explain-config" });
    return { status: 200, body: explanation };
  }),
);

async function currentConfig(
  { tables }: Services,
  tenantId: string,
): Promise<{ readonly head: ConfigHead; readonly config: RouteConfig }> {
  const head = await readHead(tables.configs, tenantId);
  const config = head && (await readVersion(tables.configs, tenantId, head.hash));
  if (head === undefined || config === undefined)
    throw new Fault("not-found", "No configuration has been put into place yet.");
  return { head, config };
}

async function versionOf({ tables }: Services, tenantId: string, hash: string): Promise<RouteConfig> {
  const config = await readVersion(tables.configs, tenantId, hash);
  if (config === undefined) throw new Fault("not-found");
  return config;
}

function optionsOf(now: Date, ifMatch: string | undefined, comment: string | undefined): ReplaceOptions {
  return { now, ...(ifMatch !== undefined && { ifMatch }), ...(comment !== undefined && { comment }) };
}

function answerTo({ etag, ...replaced }: Replaced): Answer {
  return { status: 200, body: replaced, headers: { etag }, audit: auditOf({ etag, ...replaced }) };
}
