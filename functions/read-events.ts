import { app } from "@azure/functions";

import * as endpoints from "../shared/api/endpoints/events.ts";
import { decodeCursor, encodeCursor } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { auditPayloadRead } from "../shared/events/audit-payload-read.ts";
import { acceptsEvent, placeOf, rangeOf } from "../shared/events/event-query.ts";
import { findEventById } from "../shared/events/find-event.ts";
import { rawAnswer } from "../shared/events/raw-answer.ts";
import { omissionOf, showEvent, withReceived } from "../shared/events/show-event.ts";
import { Fault } from "../shared/faults.ts";
import { listEvents } from "../shared/ledgers/events.ts";
import { findWebhook } from "../shared/ledgers/inbox.ts";
import { readTimeline } from "../shared/ledgers/timeline.ts";
import { services } from "../shared/services.ts";

app.http(
  ...serve(endpoints.listEvents, async ({ caller, query, now }) => {
    const all = await services();
    const after = placeOf(decodeCursor(query.cursor, 1)?.[0]);
    const page = await listEvents(all.tables.events, {
      tenantId: caller.tenantId,
      ...rangeOf(query, now),
      limit: query.limit,
      ...(after !== undefined && { after }),
      accepts: acceptsEvent(query),
    });
    const nextCursor = page.after !== undefined && { nextCursor: encodeCursor(page.after) };
    return { status: 200, body: { items: page.items, ...nextCursor } };
  }),
);

app.http(
  ...serve(endpoints.readEvent, async ({ caller, params, query, correlationId, now }) => {
    const { eventId } = params;
    const all = await services();
    const found = await findEventById(all, caller.tenantId, eventId);
    if (found === undefined) throw new Fault("not-found");
    const omission = omissionOf(caller, found.webhook, query.data);
    if (omission === undefined)
      await auditPayloadRead(all, caller, { eventId, correlationId, now, by: "read-event" });
    return { status: 200, body: await showEvent(all, found, omission) };
  }),
);

app.http(
  ...serve(endpoints.readRawEvent, async ({ caller, params, correlationId, now }) => {
    const { eventId } = params;
    const all = await services();
    const found = await findEventById(all, caller.tenantId, eventId);
    if (found === undefined) throw new Fault("not-found");
    await auditPayloadRead(all, caller, { eventId, correlationId, now, by: "read-raw-event" });
    return rawAnswer(all, eventId, found.webhook);
  }),
);

app.http(
  ...serve(endpoints.readCorrelation, async ({ caller, params }) => {
    const { correlationId } = params;
    const { tables } = await services();
    const [webhook, steps] = await Promise.all([
      findWebhook(tables.inbox, caller.tenantId, correlationId),
      readTimeline(tables.timeline, caller.tenantId, correlationId),
    ]);
    if (webhook === undefined && steps.length === 0) throw new Fault("not-found");
    const timeline = webhook === undefined ? steps : withReceived(webhook, steps);
    return { status: 200, body: { correlationId, timeline } };
  }),
);
