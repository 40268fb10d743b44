import type { Broker } from "./broker.ts";

/** What has been asked of an entity since the server started: the operations that Azure would count. */
export interface Traffic {
  /** Sends; a batch of messages is one. */
  sends: number;
  /** The messages in them. */
  messages: number;
  /** Messages handed to receivers, each time they were. */
  deliveries: number;
  /** Deliveries that were completed, abandoned, deferred or dead-lettered. */
  settlements: number;
  /** Requests to the management node: lock renewals, peeks, schedules. */
  requests: number;
}

export function noTraffic(): Traffic {
  return { sends: 0, messages: 0, deliveries: 0, settlements: 0, requests: 0 };
}

/** Of every entity with any, by its path. */
export function trafficOf(broker: Broker): Readonly<Record<string, Readonly<Traffic>>> {
  const busy = [...broker.allQueues()].filter(({ traffic }) =>
    Object.values(traffic).some((count) => count > 0),
  );
  return Object.fromEntries(busy.map(({ path, traffic }) => [path, traffic]));
}
