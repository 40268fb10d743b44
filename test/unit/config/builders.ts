import type { Endpoint, Route, RouteConfig, Subscription } from "../../../shared/config/route-schema.ts";
import type { Envelope } from "../../../shared/envelope/envelope.ts";

export function envelopeOf(changes: Partial<Envelope> = {}): Envelope {
  return {
    specversion: "1.0",
    id: "e-1",
    source: "/connections/conn0001",
    type: "github.events.issue.opened",
    subject: "issue/5",
    time: "2026-11-18T09:00:00.000Z",
    datacontenttype: "application/json",
    tenantid: "t-1",
    connectionid: "conn0001",
    sourcesystem: "github",
    objecttype: "issue",
    objectid: "5",
    eventtype: "opened",
    correlationid: "c-1",
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    payloadhash: "ab".repeat(32),
    receivedat: "2026-11-18T09:00:01.000Z",
    data: { issue: { id: 5, labels: [{ name: "bug" }] } },
    ...changes,
  };
}

/** Matches the event of `envelopeOf`; each has an action of its own. */
export function routeOf(routeName: string, changes: Partial<Route> = {}): Route {
  return {
    routeName,
    enabled: true,
    subject: "github.events.issue.opened",
    intendedAction: `act-${routeName}`,
    endpointKey: "crm",
    operation: {
      kind: "generic-http",
      method: "POST",
      path: "/issues",
      idempotencyHeader: "Idempotency-Key",
    },
    ...changes,
  };
}

export function subscriptionOf(
  subscriptionName: string,
  routeName: string,
  changes: Partial<Subscription> = {},
): Subscription {
  return { subscriptionName, routeName, objectType: "issue", eventType: "opened", enabled: true, ...changes };
}

const crm: Endpoint = { url: "https://crm.example.com/api" };

export function configOf(routes: readonly Route[], changes: Partial<RouteConfig> = {}): RouteConfig {
  return { routes: [...routes], endpoints: { crm }, ...changes };
}

/** The same without some of its properties. */
export function without<T extends object, K extends keyof T>(value: T, ...keys: readonly K[]): Omit<T, K> {
  const copy = { ...value };
  for (const key of keys) delete copy[key];
  return copy;
}
