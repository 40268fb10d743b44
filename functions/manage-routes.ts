import { app } from "@azure/functions";

import type { Answer } from "../shared/api/answer.ts";
import * as endpoints from "../shared/api/endpoints/routes.ts";
import { decodeCursor, encodeCursor, pageOf } from "../shared/api/page.ts";
import { type Call, serve } from "../shared/api/serve.ts";
import { auditOf } from "../shared/config/replace-config.ts";
import { Fault } from "../shared/faults.ts";
import { pause, resume } from "../shared/routing/pause-route.ts";
import { readRouteFacts, routeNamesOf, routeStatus } from "../shared/routing/route-status.ts";
import { switchRoute } from "../shared/routing/switch-route.ts";
import { services } from "../shared/services.ts";
import { drainRouteNow } from "../shared/work/drain-backlog.ts";
import { parkBacklog } from "../shared/work/park-backlog.ts";

app.http(
  ...serve(endpoints.listRoutes, async ({ caller: { tenantId }, query }) => {
    const all = await services();
    const facts = await readRouteFacts(all, tenantId);
    const [after = ""] = decodeCursor(query.cursor, 1) ?? [];
    const names = routeNamesOf(facts).filter((name) => name > after);
    const page = pageOf(names, query.limit, (name) => encodeCursor(name));
    const items = await Promise.all(page.items.map((name) => routeStatus(all, tenantId, facts, name)));
    return { status: 200, body: { ...page, items } };
  }),
);

app.http(
  ...serve(endpoints.readRoute, async ({ caller: { tenantId }, params: { routeName } }) => {
    const all = await services();
    const facts = await readRouteFacts(all, tenantId);
    if (!routeNamesOf(facts).includes(routeName)) throw new Fault("not-found");
    const route = facts.config.routes.find((one) => one.routeName === routeName);
    const { hash } = (await all.configs.current(tenantId)) ?? {};
    const status = await routeStatus(all, tenantId, facts, routeName);
    return { status: 200, body: { ...status, route, hash } };
  }),
);

app.http(
  ...serve(endpoints.pauseRoute, async ({ caller, params: { routeName }, body, now }) => {
    const wasRunning = await pause(await services(), caller, routeName, body.reason, now);
    return { status: 200, body: { routeName, wasRunning }, audit: { wasRunning } };
  }),
);

app.http(
  ...serve(endpoints.resumeRoute, async ({ caller, params: { routeName }, now, log }) => {
    const all = await services();
    const resumed = await resume(all, all.logTo(log, "resume-route"), caller, routeName, now);
    return { status: 200, body: { routeName, ...resumed }, audit: resumed };
  }),
);

app.http(
  ...serve(endpoints.drainRoute, async ({ caller: { tenantId }, params: { routeName }, now, log }) => {
    const all = await services();
    const current = await all.configs.current(tenantId);
    const route = current?.config.routes.find((one) => one.routeName === routeName);
    if (route === undefined) throw new Fault("not-found");
    if (!route.enabled) throw new Fault("conflict", "The route is disabled: enable it, and it drains.");
    if (Object.hasOwn(await all.pauses(tenantId), routeName))
      throw new Fault("conflict", "The route is paused: resume it, and it drains.");
    const drained = await drainRouteNow(all, all.logTo(log, "drain-route"), tenantId, routeName, now);
    return { status: 200, body: { routeName, drained }, audit: { drained } };
  }),
);

app.http(
  ...serve(endpoints.parkBacklog, async ({ caller, params: { routeName }, now }) => {
    const all = await services();
    const names = routeNamesOf(await readRouteFacts(all, caller.tenantId));
    if (!names.includes(routeName)) throw new Fault("not-found");
    const parked = await parkBacklog(all, caller, routeName, now);
    return { status: 200, body: { routeName, ...parked }, audit: parked };
  }),
);

type SwitchCall = Call<"{routeName}", { readonly comment?: string }>;

app.http(...serve(endpoints.disableRoute, (call) => switchTo(false, call)));
app.http(...serve(endpoints.enableRoute, (call) => switchTo(true, call)));

async function switchTo(enabled: boolean, call: SwitchCall): Promise<Answer> {
  const { caller, params, query, now, log } = call;
  const { routeName } = params;
  const all = await services();
  const change = await switchRoute(all, caller, { routeName, enabled, comment: query.comment, now });
  const { hash, version, created: changed } = change;
  const drained = enabled && {
    drained: await drainRouteNow(all, all.logTo(log, "enable-route"), caller.tenantId, routeName, now),
  };
  const body = { routeName, enabled, hash, version, changed, ...drained };
  return { status: 200, body, audit: auditOf(change) };
}
