import { type ServiceBusReceivedMessage, ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { readRouteConfig } from "../../../shared/config/route-schema.ts";
import { workQueue } from "../../../shared/entities.ts";
import type { Envelope } from "../../../shared/envelope/envelope.ts";
import { newId } from "../../../shared/envelope/ids.ts";
import { putConfig } from "../../../shared/ledgers/configs.ts";
import { listEscalations } from "../../../shared/ledgers/escalations.ts";
import { findEvent } from "../../../shared/ledgers/events.ts";
import { type Failure, findFailure } from "../../../shared/ledgers/failures.ts";
import { readTimeline } from "../../../shared/ledgers/timeline.ts";
import { routeEvent } from "../../../shared/routing/route-event.ts";
import type { Services } from "../../../shared/services.ts";
import { executeWork } from "../../../shared/work/execute.ts";
import { readWorkItem } from "../../../shared/work/read-work-item.ts";
import { scheduleWork } from "../../../shared/work/schedule.ts";
import { type WorkItem, workIdOf } from "../../../shared/work/work-item.ts";
import { type Sink, type SinkReply, startSink } from "../../support/sink.ts";
import { until } from "../../support/until.ts";
import { envelope, tenantId, workItem } from "../ledgers/fixtures.ts";
import { keptLog, type PlatformUnderTest, startPlatform } from "../ledgers/platform-under-test.ts";
import { type Death, startMortal } from "./crash-process.ts";

/** What a vendor answers to each piece of work, one after the other, and what must become of the work. */
const vendors = {
  "honours the key": { replies: [{}], operation: { idempotencyHeader: "idempotency-key" } },
  "can be asked": { replies: [{}], operation: { lookup: { path: "/effects/{{idempotencyKey}}" } } },
  "fails once": { replies: [{ status: 503 }, {}], operation: { idempotencyHeader: "idempotency-key" } },
  "loses its answer": {
    replies: [{ end: "drop" }, {}],
    operation: { lookup: { path: "/effects/{{idempotencyKey}}" } },
  },
  refuses: { replies: [{ status: 401 }], operation: {} },
} as const satisfies Record<string, { replies: readonly SinkReply[]; operation: object }>;
type Vendor = keyof typeof vendors;
const vendorNames = Object.keys(vendors) as Vendor[];
const routeOf = (vendor: Vendor): string => vendor.replaceAll(" ", "-");

let platform: PlatformUnderTest;
let services: Services;
let sink: Sink;
let configHash: string;
let bus: ServiceBusClient;

beforeAll(async () => {
  [platform, sink] = await Promise.all([
    startPlatform(),
    startSink({ idempotencyHeader: "idempotency-key" }),
  ]);
  services = { ...platform.services, leaseMs: 1000 };
  const routes = vendorNames.map((vendor) => ({
    routeName: routeOf(vendor),
    enabled: true,
    subject: "#",
    intendedAction: routeOf(vendor),
    endpointKey: "sink",
    retryProfile: "QUICK",
    floodGuard: { limit: 10_000, windowMin: 5 },
    operation: {
      kind: "generic-http",
      path: "/{{event.id}}",
      body: { reference: "{{idempotencyKey}}" },
      timeoutSeconds: 1,
      ...vendors[vendor].operation,
    },
  }));
  const config = readRouteConfig({
    routes,
    endpoints: { sink: { url: sink.url } },
    retryProfiles: { QUICK: { waitsSeconds: [1, 1, 1, 1], jitter: 0 } },
  });
  const head = await putConfig(services.tables.configs, tenantId, config, { by: "test", now: new Date() });
  configHash = head.hash;
  bus = new ServiceBusClient(platform.platform.settings.ServiceBusConnection ?? "");
  // The processes that live on.
  bus
    .createReceiver(workQueue)
    .subscribe({ processMessage: work, processError: async () => {} }, { maxConcurrentCalls: 100 });
});
afterAll(async () => {
  await bus?.close();
  await Promise.all([platform?.stop(), sink?.stop()]);
});

async function work({ body }: ServiceBusReceivedMessage): Promise<void> {
  const item = readWorkItem(body);
  if (item !== undefined) await executeWork(services, keptLog(), item);
}

function newWork(vendor: Vendor): WorkItem {
  const id = newId();
  sink.reply(`/${id}`, ...vendors[vendor].replies);
  return workItem({
    envelope: envelope({ id, payloadhash: id, data: {} }),
    routeName: routeOf(vendor),
    configHash,
    routedAt: new Date().toISOString(),
  });
}

/** How many steps the first attempt takes when nobody dies. */
async function stepsOf(vendor: Vendor): Promise<number> {
  const process = startMortal(services);
  await executeWork(process.services, keptLog(), newWork(vendor));
  return process.steps();
}

/** One attempt by a process that dies; then the bus delivers its message again, to others. */
async function dieAndRedeliver(vendor: Vendor, death: Death): Promise<WorkItem> {
  const item = newWork(vendor);
  const process = startMortal(services, death);
  await Promise.race([executeWork(process.services, keptLog(), item), process.died]);
  await scheduleWork(services, item);
  return item;
}

const failureOf = (item: WorkItem): Promise<Failure | undefined> =>
  findFailure(services.failures.failures, tenantId, item.workId);

async function kindsOf({ correlationId }: WorkItem): Promise<string[]> {
  return (await readTimeline(services.tables.timeline, tenantId, correlationId)).map(({ kind }) => kind);
}

async function isDone(item: WorkItem): Promise<boolean> {
  const kinds = await kindsOf(item);
  return kinds.includes("executed") || kinds.includes("deduplicated");
}

/** Done, and whatever failure there was is over. */
function ends(item: WorkItem, death: Death): Promise<void> {
  return until(`work whose process died ${death.when} step ${death.step} to be done`, async () => {
    const failure = await failureOf(item);
    const isOver = failure === undefined || failure.state === "Resolved";
    return isOver && (await isDone(item)) ? true : undefined;
  }).then(() => {});
}

function deathsIn(steps: number): Death[] {
  return Array.from({ length: steps }, (_, step) => step).flatMap((step) => [
    { step, when: "before" },
    { step, when: "after" },
  ]);
}

describe.concurrent("FST-08, LED-04: a process that dies at any step of an attempt", () => {
  test.each(vendorNames.filter((vendor) => vendor !== "refuses"))(
    "leads to one effect, at a vendor that %s",
    async (vendor) => {
      const deaths = deathsIn(await stepsOf(vendor));
      expect(deaths.length).toBeGreaterThan(6);
      await Promise.all(
        deaths.map(async (death) => {
          const item = await dieAndRedeliver(vendor, death);
          await ends(item, death);
          const effects = sink.effects(`/${item.eventId}`).length;
          expect({ ...death, effects }).toEqual({ ...death, effects: 1 });
        }),
      );
    },
  );

  test("leads to one dead letter and one escalation, at a vendor that refuses", async () => {
    const deaths = deathsIn(await stepsOf("refuses"));
    await Promise.all(
      deaths.map(async (death) => {
        const item = await dieAndRedeliver("refuses", death);
        await until(`the dead letter of a process that died ${death.when} step ${death.step}`, async () => {
          const failure = await failureOf(item);
          return failure?.state === "Parked" && (await escalationsOf(item)) > 0 ? true : undefined;
        });
        expect(sink.effects(`/${item.eventId}`)).toEqual([]);
        expect({ ...death, escalations: await escalationsOf(item) }).toEqual({ ...death, escalations: 1 });
      }),
    );
  });
});

test("a router that dies at any step, and whose event comes again, gives it to each route once", async () => {
  const deaths = deathsIn(await routed());
  expect(deaths.length).toBeGreaterThan(10);
  await Promise.all(
    deaths.map(async (death) => {
      const event = envelope({ data: {}, payloadhash: newId() });
      const process = startMortal(services, death);
      await Promise.race([routeEvent(process.services, keptLog(), event), process.died]);
      await routeEvent(services, keptLog(), event);
      await sink.waitForEffects(vendorNames.length, `/${event.id}`);
      expect(await findEvent(services.tables.events, event)).toMatchObject({ status: "ROUTED" });
      for (const { routeName, workId } of vendorNames.map((vendor) => workOf(event, vendor)))
        await until(`${routeName} to have done it`, () => done(routeName, workId, event));
      expect(sink.effects(`/${event.id}`)).toHaveLength(vendorNames.length);
    }),
  );
});

/** How many steps routing an event takes. */
async function routed(): Promise<number> {
  const process = startMortal(services);
  await routeEvent(process.services, keptLog(), envelope({ data: {}, payloadhash: newId() }));
  return process.steps();
}

function workOf(event: Envelope, vendor: Vendor): { routeName: string; workId: string } {
  const routeName = routeOf(vendor);
  return { routeName, workId: workIdOf(event.id, routeName) };
}

/** Its message has come twice, and the second time it was a hit of the ledger, or is still to come. */
async function done(
  routeName: string,
  workId: string,
  { correlationid }: Envelope,
): Promise<true | undefined> {
  const steps = await readTimeline(services.tables.timeline, tenantId, correlationid);
  const own = steps.filter((step) => step.routeName === routeName);
  return own.some(({ kind }) => kind === "executed") && (await failureFree(workId)) ? true : undefined;
}

async function failureFree(workId: string): Promise<boolean> {
  return (await findFailure(services.failures.failures, tenantId, workId)) === undefined;
}

async function escalationsOf({ workId }: WorkItem): Promise<number> {
  const { items } = await listEscalations(services.tables.escalations, tenantId, 1000);
  return items.filter(({ failureId }) => failureId === workId).length;
}
