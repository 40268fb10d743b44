import { parseAddress } from "../entities/address.ts";
import type { Broker, Entity } from "../entities/broker.ts";
import {
  BusError,
  entityDisabled,
  entityNotFound,
  noSessionAvailable,
  notAllowed,
  toBusError,
} from "../errors.ts";
import { checkAuthorized, putToken } from "./cbs.ts";
import type { BusConnection, ConnectionEvents } from "./connection.ts";
import { DeliveryLink, sessionFilter } from "./delivery-link.ts";
import { openIntake } from "./intake-link.ts";
import { manage } from "./management.ts";
import { openReplies, openRequests } from "./request-link.ts";
import {
  unwrap,
  type AttachFrame,
  type LinkInternals,
  type ReceiverInternals,
  type SenderInternals,
} from "./rhea-internals.ts";
import type { SasKey } from "./sas-token.ts";

/** How long a client that asks for any session waits when it does not say. */
const defaultSessionWaitMs = 60_000;
/** Where, in an AMQP source, its filters are. */
const addressField = 0;
const filterField = 7;

/** Decides what each link of a connection is for. */
export function linkEvents(
  broker: Broker,
  key: SasKey | undefined,
  closed: (connection: BusConnection) => void,
): ConnectionEvents {
  const find = (connection: BusConnection, address: string): Entity => {
    const entity = broker.find(parseAddress(address));
    if (!entity) throw entityNotFound(address);
    checkAuthorized(connection, address, key, broker.clock.now());
    return entity;
  };

  function receiverOpened(connection: BusConnection, link: ReceiverInternals): void {
    const address = link.target?.address ?? "";
    const { node } = parseAddress(address);
    if (node === "cbs") {
      openRequests(connection, link, broker, (request) => putToken(connection, broker, key, request));
      return;
    }
    const entity = find(connection, address);
    if (node === "management")
      openRequests(connection, link, broker, (request) => manage(broker, entity, request));
    else openIntake(connection, link, broker, sendable(entity).queue);
  }

  function senderOpened(
    connection: BusConnection,
    link: SenderInternals,
    waitedFor: string | undefined,
  ): void {
    const address = link.source?.address ?? "";
    const { node } = parseAddress(address);
    if (node !== "entity") {
      if (node === "management") find(connection, address);
      openReplies(connection, link);
      return;
    }
    const { queue } = receivable(find(connection, address));
    const session = waitedFor ?? wantedSession(link.source?.filter);
    if (session === null) throw noSessionAvailable();
    if (queue.sessions && session === undefined) {
      throw notAllowed(
        "It is not possible for an entity that requires sessions to create a non-sessionful message receiver.",
      );
    }
    if (!queue.sessions && session !== undefined) {
      throw notAllowed(
        "A sessionful message receiver cannot be created on an entity that does not require sessions.",
      );
    }
    new DeliveryLink(connection, link, queue).open(session);
  }

  /** Keeps back the attach of a client that wants any session until there is one, or its patience ends. */
  function holds(connection: BusConnection, frame: AttachFrame): boolean {
    const { role, source, handle, properties } = frame.performative;
    if (!role || !source) return false;
    const fields: unknown = unwrap(source);
    const list: readonly unknown[] = Array.isArray(fields) ? fields : [];
    if (wantedSession(list[filterField]) !== null) return false;
    const queue = broker.find(parseAddress(String(list[addressField])))?.queue;
    if (!queue?.sessions) return false;

    const proceed = (session?: string): void => connection.proceed(frame.channel, handle, session);
    const asked = properties?.["com.microsoft:timeout"];
    const wait = typeof asked === "number" ? asked : defaultSessionWaitMs;
    const stopWaiting = queue.sessions.wait(({ id }) => proceed(id));
    const stopTimer = broker.clock.at(broker.clock.now() + wait, () => proceed());
    connection.held.add(frame, () => {
      stopWaiting();
      stopTimer();
    });
    queue.sessions.offer();
    return true;
  }

  return {
    receiverOpened: (connection, link) => refusing(connection, link, () => receiverOpened(connection, link)),
    senderOpened: (connection, link, waitedFor) =>
      refusing(connection, link, () => senderOpened(connection, link, waitedFor)),
    holds,
    closed,
  };
}

/** Runs the opening of a link; what goes wrong is told to the peer. */
function refusing(connection: BusConnection, link: LinkInternals, open: () => void): void {
  try {
    open();
  } catch (error) {
    connection.refuse(link, error instanceof BusError ? error : toBusError(error));
  }
}

/** The session a receiver asks for: its id, null for any, undefined when it asks for none. */
function wantedSession(filter: unknown): string | null | undefined {
  if (typeof filter !== "object" || filter === null || !(sessionFilter in filter)) return undefined;
  const wanted: unknown = filter[sessionFilter];
  const value: unknown =
    typeof wanted === "object" && wanted !== null && "value" in wanted ? wanted.value : wanted;
  return typeof value === "string" ? value : null;
}

function sendable(entity: Entity): Entity {
  const { kind, queue } = entity;
  if (kind !== "queue" && kind !== "topic") throw notAllowed(`Messages cannot be sent to '${queue.path}'.`);
  const { status } = queue.settings;
  if (status === "Disabled" || status === "SendDisabled") throw entityDisabled(queue.path);
  return entity;
}

function receivable(entity: Entity): Entity {
  const { kind, queue } = entity;
  if (kind === "topic")
    throw notAllowed(`Messages cannot be received from the topic '${queue.path}' itself.`);
  const { status, forwardTo } = queue.settings;
  if (status === "Disabled" || status === "ReceiveDisabled") throw entityDisabled(queue.path);
  if (forwardTo !== undefined) {
    throw notAllowed("Can not create a message receiver on an entity with auto-forwarding enabled.");
  }
  return entity;
}
