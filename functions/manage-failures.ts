import { app } from "@azure/functions";

import * as endpoints from "../shared/api/endpoints/failures.ts";
import { decodeCursor, encodeCursor } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { auditPayloadRead } from "../shared/events/audit-payload-read.ts";
import { discardFailure } from "../shared/failures/discard.ts";
import { shownFailure, shownWhole } from "../shared/failures/shown-failure.ts";
import { Fault } from "../shared/faults.ts";
import { type FailurePage, groupFailures, listFailures } from "../shared/ledgers/failure-index.ts";
import type { FailureHead } from "../shared/ledgers/failure-index-row.ts";
import { findFailure } from "../shared/ledgers/failures.ts";
import { replaysTable } from "../shared/ledgers/replays.ts";
import { deadLetterStates } from "../shared/machines/failure.ts";
import { runningReplays } from "../shared/replay/replay-context.ts";
import { services } from "../shared/services.ts";

app.http(
  ...serve(endpoints.listFailures, async ({ caller, query }) => {
    const { failures } = await services();
    const [after] = decodeCursor(query.cursor, 1) ?? [];
    const wanted = { tenantId: caller.tenantId, states: [query.state], after, accepts: accepting(query) };
    return { status: 200, body: shownPage(await listFailures(failures, wanted, query.limit)) };
  }),
);

app.http(
  ...serve(endpoints.listDeadLetters, async ({ caller, query }) => {
    const { failures } = await services();
    const [after] = decodeCursor(query.cursor, 1) ?? [];
    const wanted = { tenantId: caller.tenantId, states: deadLetterStates, after, accepts: accepting(query) };
    return { status: 200, body: shownPage(await listFailures(failures, wanted, query.limit)) };
  }),
);

app.http(
  ...serve(endpoints.groupFailures, async ({ caller, query }) => {
    const { failures } = await services();
    const states = ["Parked", "Quarantined"] as const;
    const wanted = { tenantId: caller.tenantId, states, accepts: accepting(query) };
    return { status: 200, body: await groupFailures(failures.index, wanted) };
  }),
);

app.http(
  ...serve(endpoints.readFailure, async ({ caller, params, correlationId, now }) => {
    const all = await services();
    const failure = await findFailure(all.failures.failures, caller.tenantId, params.failureId);
    if (failure === undefined) throw new Fault("not-found");
    const maySeeData = caller.role !== "viewer";
    const read = { eventId: failure.correlationId, correlationId, now, by: "read-failure" };
    if (maySeeData) await auditPayloadRead(all, caller, read);
    return { status: 200, body: shownWhole(failure, maySeeData) };
  }),
);

app.http(
  ...serve(endpoints.discardFailure, async ({ caller, params, body, platform }) => {
    const isReplaying = runningReplays(await platform.table(replaysTable), caller.tenantId);
    const { failureId } = params;
    const discarded = await discardFailure(await services(), caller, failureId, body.reason, isReplaying);
    return { status: 200, body: shownFailure(discarded) };
  }),
);

function shownPage({ items, after }: FailurePage): object {
  const next = after === undefined ? {} : { nextCursor: encodeCursor(after) };
  return { items: items.map(shownFailure), ...next };
}

function accepting({
  routeName,
  classification,
  code,
}: endpoints.FailureFilters): (head: FailureHead) => boolean {
  return (head) =>
    (routeName === undefined || head.routeName === routeName) &&
    (classification === undefined || head.classification === classification) &&
    (code === undefined || head.code === code);
}
