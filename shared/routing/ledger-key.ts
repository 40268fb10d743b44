import type { EffectiveRoute } from "../config/effective.ts";
import { keyFormulas } from "../config/profiles.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { stableId } from "../envelope/ids.ts";
import { canonicalJson } from "../json/canonical.ts";
import { readPath } from "../json/paths.ts";
import { PayloadProblem } from "../sources/source.ts";

type Keyed = Pick<EffectiveRoute, "routeName" | "intendedAction" | "targetSystem" | "ledger">;

/**
 * The key under which the side effect of this event on this route is remembered: 32 hex characters, the same for every
 * duplicate, retry and replay on every host. The tenant and each path of the formula go in beside its value, so that
 * neither two tenants nor two formulas ever share a key.
 *
 * A formula whose value is not there would make all such events one, and all but the first would be skipped without a
 * word: it is a problem of the payload instead.
 */
export function ledgerKeyOf(route: Keyed, envelope: Envelope, subscriptionName?: string): string {
  const scope = keyScope(route, envelope, subscriptionName);
  const parts = formulaOf(route, subscriptionName).flatMap((path) => {
    const value = readPath(scope, path);
    if (value === undefined || value === null) {
      throw new PayloadProblem(
        path,
        `The ledger key of ${route.routeName} needs ${path}, and the event has none.`,
      );
    }
    return [path, canonicalJson(value)];
  });
  return stableId("ledger", envelope.tenantid, ...parts);
}

/** What a key formula can speak of. There is no attempt and no time of processing: they differ between duplicates. */
export function keyScope(route: Keyed, envelope: Envelope, subscriptionName?: string): object {
  const { data, ...event } = envelope;
  return {
    routeName: route.routeName,
    intendedAction: route.intendedAction,
    targetSystem: route.targetSystem,
    sourceSystem: envelope.sourcesystem,
    objectType: envelope.objecttype,
    objectId: envelope.objectid,
    eventType: envelope.eventtype,
    eventTime: envelope.time,
    eventId: envelope.id,
    payloadHash: envelope.payloadhash,
    subscriptionName: subscriptionName ?? "",
    event,
    data,
  };
}

function formulaOf({ ledger }: Keyed, subscriptionName: string | undefined): readonly string[] {
  if (ledger.keyFormula !== undefined) return ledger.keyFormula;
  if (ledger.uniquenessLevel === "record") return keyFormulas.RECORD;
  return subscriptionName === undefined ? keyFormulas.OPERATION : keyFormulas.WATCH_EVENT;
}
