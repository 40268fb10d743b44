import type { Log } from "../logging/log.ts";
import type { Services } from "../services.ts";
import type { PinnedConfig } from "./config-cache.ts";
import { diagnoseTenant, tenantDiagnosticCodes } from "./diagnose-tenant.ts";
import { observationsOf } from "./observations-of.ts";
import { createRecentMap, type RecentMap } from "./recent-map.ts";

const mostRemembered = 1000;
const mostNamed = 5;

const diagnosed = new WeakMap<Services, RecentMap<true>>();

/**
 * Looks at a tenant's configuration when this host uses a version of it for the first time, and logs what seems wrong
 * with it. Returns at once and never fails: events do not wait for it.
 */
export function diagnoseLoaded(
  services: Services,
  log: Log,
  tenantId: string,
  { hash, config }: PinnedConfig,
): void {
  const seen = diagnosed.get(services) ?? createRecentMap<true>(mostRemembered);
  diagnosed.set(services, seen);
  const key = `${tenantId}|${hash}`;
  if (seen.get(key) !== undefined) return;
  seen.set(key, true);
  const diagnose = async (): Promise<void> => {
    // What came lately is left out: every host would read it for every tenant when it starts.
    const found = diagnoseTenant(config, await observationsOf(services, tenantId, [])).filter(
      ({ code }) => tenantDiagnosticCodes[code].atStart,
    );
    if (found.length === 0) return;
    const messages = found.slice(0, mostNamed).map(({ code, message }) => `${code}: ${message}`);
    log.event("config.diagnosed", {
      tenantId,
      configHash: hash,
      count: found.length,
      detail: messages.join(" "),
    });
  };
  // Whoever wants to know asks GET /api/v1/catalog/diagnostics.
  diagnose().catch(() => undefined);
}
