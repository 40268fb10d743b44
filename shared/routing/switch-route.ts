import type { Caller } from "../access/caller.ts";
import { type Replaced, storeConfig } from "../config/replace-config.ts";
import type { RouteConfig } from "../config/route-schema.ts";
import { Fault } from "../faults.ts";
import { readHead, readVersion } from "../ledgers/configs.ts";
import type { Services } from "../services.ts";

export interface Switch {
  readonly routeName: string;
  readonly enabled: boolean;
  readonly comment?: string | undefined;
  readonly now: Date;
}

const maxAttempts = 5;

/**
 * Enables or disables one route, as a new version of the configuration. It is not validated again: rules that have
 * become stricter since must not keep anybody from switching a route off.
 */
export async function switchRoute(
  services: Services,
  { tenantId, keyId }: Caller,
  { routeName, enabled, comment, now }: Switch,
): Promise<Omit<Replaced, "warnings">> {
  const table = services.tables.configs;
  const why = comment ?? `${enabled ? "Enabled" : "Disabled"} ${routeName}`;
  for (let attempt = 1; ; attempt++) {
    const head = await readHead(table, tenantId);
    const config = head && (await readVersion(table, tenantId, head.hash));
    const next = config && switched(config, routeName, enabled);
    if (head === undefined || next === undefined) throw new Fault("not-found");
    try {
      return await storeConfig(services, tenantId, next, {
        by: keyId,
        now,
        comment: why,
        ifMatch: head.etag,
      });
    } catch (error) {
      const isOvertaken = error instanceof Fault && error.code === "precondition-failed";
      if (!isOvertaken || attempt === maxAttempts) throw error;
    }
  }
}

/** Undefined where there is no such route. */
function switched(config: RouteConfig, routeName: string, enabled: boolean): RouteConfig | undefined {
  if (!config.routes.some((route) => route.routeName === routeName)) return undefined;
  const routes = config.routes.map((route) =>
    route.routeName === routeName ? { ...route, enabled } : route,
  );
  return { ...config, routes };
}
