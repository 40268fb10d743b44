import { formatPath } from "../../json/paths.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import { intendedActionOf } from "../effective.ts";
import type { RouteConfig } from "../route-schema.ts";

/** Routes on which a lost answer ends on somebody's desk, because nobody can be asked whether it has happened. */
export function checkInDoubt({ routes }: RouteConfig): Diagnostic[] {
  return routes.flatMap((route, index) => {
    const { method, idempotencyHeader, lookup } = route.operation;
    const answered = idempotencyHeader !== undefined || lookup !== undefined || method === "GET";
    if (answered || route.inDoubt === "retry" || route.ledger?.required === false) return [];
    const message =
      `When an answer to ${intendedActionOf(route)} is lost, the item is parked until a person decides. Name an ` +
      `idempotencyHeader or a lookup if the vendor has one, or say inDoubt "retry" if doing it twice does no harm.`;
    return [diagnostic("IN_DOUBT_PARKS", formatPath(["routes", index]), message)];
  });
}
