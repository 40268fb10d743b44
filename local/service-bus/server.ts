import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";

import { lockData } from "../process/data-lock.ts";
import { listenOn } from "../process/listen.ts";
import { adminHandler } from "./admin/admin-http.ts";
import { BusConnection } from "./amqp/connection.ts";
import { linkEvents } from "./amqp/links.ts";
import { createContainer } from "./amqp/rhea-internals.ts";
import type { SasKey } from "./amqp/sas-token.ts";
import { systemClock, type Clock } from "../clock.ts";
import { Broker } from "./entities/broker.ts";
import type { NamespaceEntities } from "./entities/settings.ts";
import type { Durability } from "./journal/journal-file.ts";
import { JournalStore } from "./journal/journal-store.ts";
import { memoryStore } from "./journal/memory-store.ts";
import { restoreBroker } from "./journal/restore.ts";

export interface ServiceBusOptions {
  readonly host?: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly adminPort: number;
  /** The entities to begin with, as `readConfig` gives them. */
  readonly config: NamespaceEntities;
  /** Where messages survive the process; without it they live in memory. */
  readonly journalDir?: string;
  readonly durability?: Durability;
  readonly clock?: Clock;
  /** When given, tokens are checked against it. */
  readonly sasKey?: string;
  readonly log?: (line: string) => void;
}

export interface ServiceBusServer {
  readonly port: number;
  readonly adminPort: number;
  readonly connectionString: string;
  readonly adminConnectionString: string;
  stop(): Promise<void>;
}

const keyName = "RootManageSharedAccessKey";
/** What connection strings carry when no key is checked; clients insist on one. */
const anyKey = "SAS_KEY_VALUE";

/** Starts the AMQP and the administration server; both accept clients when it resolves. */
export async function startServiceBus(options: ServiceBusOptions): Promise<ServiceBusServer> {
  const { host = "127.0.0.1", sasKey, log = () => undefined } = options;
  const key: SasKey | undefined = sasKey === undefined ? undefined : { name: keyName, value: sasKey };
  const connections = new Set<BusConnection>();
  const container = createContainer();
  const admin = createHttpServer();
  /** Clients may come as soon as the port is open; those who come before the journal is read are kept waiting. */
  let accept = (socket: Socket): void => void early.push(socket);
  const early: Socket[] = [];
  const amqp = createServer((socket) => accept(socket));

  const unlock =
    options.journalDir === undefined ? () => {} : await lockData(join(options.journalDir, "journal"));
  const release = async (): Promise<void> => {
    await Promise.all([closed(amqp), closed(admin)]);
    unlock();
  };
  const [port, adminPort] = await Promise.all([
    listenOn(amqp, host, options.port, "Service Bus"),
    listenOn(admin, host, options.adminPort, "Service Bus administration"),
  ]).catch(async (error: unknown) => {
    await release();
    throw error;
  });

  const broker = openBroker(options, log);
  const events = linkEvents(broker, key, (connection) => connections.delete(connection));
  accept = (socket) => void connections.add(new BusConnection(socket, container, events, log));
  for (const socket of early) accept(socket);
  admin.on("request", adminHandler(broker, key));

  const secret = `SharedAccessKeyName=${keyName};SharedAccessKey=${sasKey ?? anyKey}`;
  return {
    port,
    adminPort,
    connectionString: `Endpoint=sb://${host}:${port};${secret};UseDevelopmentEmulator=true;`,
    adminConnectionString: `Endpoint=sb://${host}:${adminPort};${secret}`,
    async stop() {
      const ended = [closed(amqp), closed(admin)];
      broker.store.flush();
      for (const connection of connections) connection.close();
      admin.closeAllConnections();
      await Promise.all(ended);
      broker.close();
      broker.store.close();
      unlock();
    },
  };
}

function openBroker(options: ServiceBusOptions, log: (line: string) => void): Broker {
  const { clock = systemClock, config, journalDir, durability = "process" } = options;
  if (journalDir === undefined) return new Broker(clock, memoryStore(log), config);
  const store = new JournalStore({ directory: journalDir, durability, log });
  const broker = new Broker(clock, store, config);
  const { restored, left } = restoreBroker(broker, store);
  if (restored > 0) log(`${restored} messages were read back from the journal.`);
  if (left > 0) log(`${left} messages belong to entities that are no longer configured and were left out.`);
  return broker;
}

const closed = (server: Server | HttpServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
  });
