import {
  ServiceBusAdministrationClient,
  ServiceBusClient,
  type ServiceBusReceivedMessage,
  type ServiceBusReceiver,
} from "@azure/service-bus";

import { ManualClock } from "../../../local/clock.ts";
import { readConfig } from "../../../local/service-bus/config/read-config.ts";
import {
  startServiceBus,
  type ServiceBusOptions,
  type ServiceBusServer,
} from "../../../local/service-bus/server.ts";

type Properties = Readonly<Record<string, unknown>>;

/** Entities in short: names with the properties of the configuration file. */
export interface Entities {
  readonly queues?: Readonly<Record<string, Properties>>;
  readonly topics?: Readonly<
    Record<
      string,
      { readonly properties?: Properties; readonly subscriptions: Readonly<Record<string, Properties>> }
    >
  >;
}

export interface BusUnderTest {
  readonly server: ServiceBusServer;
  readonly clock: ManualClock;
  readonly client: ServiceBusClient;
  readonly admin: ServiceBusAdministrationClient;
  connect(): ServiceBusClient;
  stop(): Promise<void>;
}

export const retryOptions = { timeoutInMs: 5000, retryDelayInMs: 500, maxRetries: 5 };

/** The configuration file that describes these entities; a subscription's `Rules` stand among its properties. */
export function configText({ queues = {}, topics = {} }: Entities): string {
  return JSON.stringify({
    UserConfig: {
      Namespaces: [
        {
          Name: "sbemulatorns",
          Queues: Object.entries(queues).map(([Name, properties]) => ({ Name, Properties: properties })),
          Topics: Object.entries(topics).map(([Name, topic]) => ({
            Name,
            Properties: topic.properties ?? {},
            Subscriptions: Object.entries(topic.subscriptions).map(([name, { Rules, ...properties }]) => ({
              Name: name,
              Properties: properties,
              Rules: Rules ?? [],
            })),
          })),
        },
      ],
    },
  });
}

/** Starts a server whose time stands still until the test moves it, and a client of the official SDK. */
export async function startBus(
  entities: Entities,
  options: Partial<ServiceBusOptions> = {},
): Promise<BusUnderTest> {
  const clock = new ManualClock(Date.now());
  const config = readConfig(configText(entities));
  const server = await startServiceBus({ port: 0, adminPort: 0, config, clock, ...options });
  const clients: ServiceBusClient[] = [];
  const connect = (): ServiceBusClient => {
    const client = new ServiceBusClient(server.connectionString, { retryOptions });
    clients.push(client);
    return client;
  };
  return {
    server,
    clock,
    client: connect(),
    admin: adminClient(server),
    connect,
    async stop() {
      await Promise.all(clients.map((client) => client.close()));
      await server.stop();
    },
  };
}

/** The administration client always speaks HTTPS; a policy of its public pipeline makes that HTTP. */
export function adminClient(server: ServiceBusServer): ServiceBusAdministrationClient {
  const admin = new ServiceBusAdministrationClient(server.adminConnectionString);
  admin.pipeline.addPolicy({
    name: "plainHttp",
    sendRequest: (request, next) => {
      request.url = request.url.replace(/^https:/, "http:");
      request.allowInsecureConnection = true;
      return next(request);
    },
  });
  return admin;
}

/** Everything an entity holds. A client goes on peeking where it stopped, so each look needs a client of its own. */
export async function contents(
  bus: BusUnderTest,
  queue: string,
  subQueueType?: "deadLetter",
): Promise<readonly ServiceBusReceivedMessage[]> {
  const client = bus.connect();
  const receiver = client.createReceiver(queue, subQueueType ? { subQueueType } : {});
  const messages = await receiver.peekMessages(1000);
  await client.close();
  return messages;
}

/** A promise and the function that resolves it. */
export function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Waits until something holds that only asking the server can tell: looks again every few milliseconds. */
export async function until(condition: () => boolean | Promise<boolean>, timeoutMs = 20_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error("it did not come to that in time");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The next message; fails the test when none comes. */
export async function receiveOne(receiver: ServiceBusReceiver): Promise<ServiceBusReceivedMessage> {
  const [message] = await receiver.receiveMessages(1, { maxWaitTimeInMs: 5000 });
  if (!message) throw new Error("no message came");
  return message;
}

/** The error an operation fails with; fails the test when it succeeds. */
export async function failureOf(operation: Promise<unknown>): Promise<{ code?: string; message: string }> {
  try {
    await operation;
  } catch (error) {
    return error as { code?: string; message: string };
  }
  throw new Error("the operation succeeded");
}
