import { setMaxListeners } from "node:events";

import type { HostedFunction } from "../functions.ts";
import type { HostContext, Listener } from "../host-context.ts";
import { connectionStringOf } from "./connection.ts";
import { Dispatcher, isMany } from "./dispatcher.ts";
import { sourceOf } from "./entity.ts";
import { receiveBatches } from "./receive-batches.ts";
import { receiveOneByOne } from "./receive-one-by-one.ts";
import { receiveSessions } from "./receive-sessions.ts";
import { ReceiverHealth } from "./receiver-health.ts";
import type { Receiving } from "./receiving.ts";

/** Calls functions with Service Bus triggers for the messages of their queues and subscriptions. */
export function createServiceBusListener(context: HostContext): Listener {
  const triggers = context.functions
    .filter((fn) => fn.triggerType === "serviceBusTrigger" && !fn.disabled)
    .map((fn) => ({
      fn,
      source: sourceOf(fn),
      connectionString: connectionStringOf(fn.name, fn.trigger, context.settings),
    }));
  let stopping = new AbortController();
  let loops: Promise<void>[] = [];
  return {
    start() {
      stopping = new AbortController();
      // As many listen as there are loops, which says nothing about a leak.
      setMaxListeners(0, stopping.signal);
      loops = triggers.map(({ fn, source, connectionString }) =>
        receive(fn, {
          source,
          connectionString,
          limits: context.hostSettings.serviceBus,
          dispatcher: new Dispatcher(context, fn),
          health: new ReceiverHealth(context, fn, source),
          signal: stopping.signal,
        }),
      );
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

function receive({ trigger }: HostedFunction, receiving: Receiving): Promise<void> {
  const { cardinality, isSessionsEnabled } = trigger;
  if (isSessionsEnabled === true) return receiveSessions(receiving, isMany(cardinality));
  return isMany(cardinality) ? receiveBatches(receiving) : receiveOneByOne(receiving);
}
