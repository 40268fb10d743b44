import { randomBytes } from "node:crypto";

import type { Envelope } from "../../../shared/envelope/envelope.ts";
import { newId } from "../../../shared/envelope/ids.ts";
import type { Claimant } from "../../../shared/ledgers/effects.ts";
import type { FailureReport } from "../../../shared/ledgers/failures.ts";
import { type WorkItem, workIdOf } from "../../../shared/work/work-item.ts";

export const tenantId = "acme";

export const at = (seconds: number): Date => new Date(Date.UTC(2026, 10, 18, 12) + seconds * 1000);

export function claimant(change: Partial<Claimant> = {}): Claimant {
  return {
    workId: "work-1",
    attempt: 1,
    routeName: "orders",
    objectId: "order-1",
    correlationId: "c".repeat(32),
    payloadHash: "hash",
    ...change,
  };
}

export function report(change: Partial<FailureReport> = {}): FailureReport {
  return {
    tenantId,
    failureId: newId(),
    origin: "route",
    state: "Retrying",
    classification: "Transient",
    code: "HTTP_503",
    message: "The vendor is not available.",
    attempts: 1,
    currentStep: "side-effect",
    routeName: "orders",
    objectType: "order",
    objectId: "order-1",
    correlationId: "c".repeat(32),
    payloadHash: "hash",
    lastFailedAt: at(0),
    mayHaveHappened: false,
    workItem: "{}",
    ...change,
  };
}

export function envelope(change: Partial<Envelope> = {}): Envelope {
  const id = change.id ?? newId();
  return {
    specversion: "1.0",
    id,
    source: "/connections/connection1",
    type: "github.events.pull_request.opened",
    subject: "pull_request/acme/shop#1",
    time: at(0).toISOString(),
    datacontenttype: "application/json",
    tenantid: tenantId,
    connectionid: "connection1",
    sourcesystem: "github",
    objecttype: "pull_request",
    objectid: "acme/shop#1",
    eventtype: "opened",
    correlationid: id,
    traceparent: `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`,
    payloadhash: "hash",
    receivedat: at(0).toISOString(),
    ...change,
  };
}

export function workItem(change: Partial<WorkItem> = {}): WorkItem {
  const event = change.envelope ?? envelope();
  const routeName = change.routeName ?? "orders";
  return {
    workId: workIdOf(event.id, routeName),
    tenantId: event.tenantid,
    routeName,
    configHash: "none",
    eventId: event.id,
    objectType: event.objecttype,
    objectId: event.objectid,
    correlationId: event.correlationid,
    payloadHash: event.payloadhash,
    receivedAt: event.receivedat,
    routedAt: at(1).toISOString(),
    attempt: 1,
    envelope: event,
    ...change,
  };
}
