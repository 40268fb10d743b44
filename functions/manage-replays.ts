import { app, type HttpFunctionOptions } from "@azure/functions";
import * as df from "durable-functions";

import type { Answer } from "../shared/api/answer.ts";
import type { Endpoint } from "../shared/api/endpoint.ts";
import * as endpoints from "../shared/api/endpoints/replays.ts";
import { decodeCursor, encodeCursor, pageOf } from "../shared/api/page.ts";
import { type Call, serve } from "../shared/api/serve.ts";
import { listReplays, replaysTable } from "../shared/ledgers/replays.ts";
import { auditedStart } from "../shared/replay/audited-start.ts";
import { dryRun } from "../shared/replay/dry-run.ts";
import { listReplayItems } from "../shared/replay/list-items.ts";
import { readReplayRequest } from "../shared/replay/read-request.ts";
import { shownItem, shownReplay } from "../shared/replay/shown-replay.ts";
import { newestFirst } from "../shared/replay/newest-first.ts";
import { cancelReplay, ownReplay, type ReplayClient, startReplay } from "../shared/replay/start.ts";
import { services } from "../shared/services.ts";

app.http(
  ...serveWithClient(endpoints.createReplay, async (call, client) => {
    const { body, caller, now, baseUrl, log } = call;
    const { tenantId } = caller;
    const all = await services();
    const asked = readReplayRequest(body, now);
    const selector = await newestFirst(all, tenantId, asked.selector);
    if (asked.dryRun) {
      const [after] = decodeCursor(body.cursor, 1) ?? [];
      const { limit = 100 } = body;
      const { after: next, ...page } = await dryRun(
        all,
        tenantId,
        selector,
        asked.settings.config,
        now,
        limit,
        after,
      );
      const more = next === undefined ? { more: false } : { more: true, nextCursor: encodeCursor(next) };
      return { status: 200, body: { dryRun: true, ...page, ...more } };
    }
    const change = { ...call, now: () => new Date(), warn: (line: string): void => log.warn(line) };
    return auditedStart(all, change, async () => {
      const replay = await startReplay(all, client, caller, selector, asked.settings, now);
      const location = `${baseUrl}/v1/replays/${replay.replayId}`;
      return { status: 202, body: shownReplay(replay), headers: { location } };
    });
  }),
);

app.http(
  ...serve(endpoints.listReplays, async ({ caller, query, platform }) => {
    const { limit } = query;
    const [after] = decodeCursor(query.cursor, 1) ?? [];
    const table = await platform.table(replaysTable);
    const found = await listReplays(table, caller.tenantId, limit + 1, after);
    const page = pageOf(found, limit, ({ replayId }) => encodeCursor(replayId));
    return { status: 200, body: { ...page, items: page.items.map(shownReplay) } };
  }),
);

app.http(
  ...serve(endpoints.readReplay, async ({ caller, params }) => {
    const replay = await ownReplay(await services(), caller.tenantId, params.replayId);
    return { status: 200, body: shownReplay(replay) };
  }),
);

app.http(
  ...serve(endpoints.listReplayItems, async ({ caller, params, query }) => {
    const all = await services();
    const replay = await ownReplay(all, caller.tenantId, params.replayId);
    const [after] = decodeCursor(query.cursor, 1) ?? [];
    const { items, after: next } = await listReplayItems(all, replay, query.limit, after);
    const more = next === undefined ? {} : { nextCursor: encodeCursor(next) };
    return { status: 200, body: { items: items.map(shownItem), ...more } };
  }),
);

app.http(
  ...serveWithClient(endpoints.cancelReplay, async ({ caller, params }, client) => {
    const replay = await cancelReplay(await services(), client, caller, params.replayId);
    return { status: 202, body: shownReplay(replay) };
  }),
);

/** Like `serve`, for handlers that speak to orchestrations: the client comes with the call's own context. */
function serveWithClient<Path extends string, Query, Body>(
  endpoint: Endpoint<Path, Query, Body>,
  handle: (call: Call<Path, Query, Body>, client: ReplayClient) => Promise<Answer>,
): [name: string, options: HttpFunctionOptions] {
  const [name, options] = serve(endpoint, () => Promise.reject(new Error("There is no client")));
  return [
    name,
    {
      ...options,
      extraInputs: [df.input.durableClient()],
      handler: (request, context) => {
        const [, { handler }] = serve(endpoint, (call) => handle(call, df.getClient(context)));
        return handler(request, context);
      },
    },
  ];
}
