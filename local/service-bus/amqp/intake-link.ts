import { readTransfer } from "../codec/batch.ts";
import { MalformedEncoding } from "../codec/scan.ts";
import type { Broker } from "../entities/broker.ts";
import type { MessageQueue } from "../entities/queue.ts";
import { malformedMessage, messageTooLarge, toBusError, type BusError } from "../errors.ts";
import type { BusConnection } from "./connection.ts";
import { maxMessageBytes } from "./peer-limits.ts";
import type { IncomingDelivery, ReceiverInternals } from "./rhea-internals.ts";

/** Messages a sender may have under way. It must be there with the attach: a client without credit sleeps a second. */
const creditWindow = 500;

/** A client's sender: every message it sends is recorded before it is accepted. */
export function openIntake(
  connection: BusConnection,
  link: ReceiverInternals,
  broker: Broker,
  queue: MessageQueue,
): void {
  link.set_source({ address: link.source?.address });
  link.set_target({ address: link.target?.address });
  link.local.attach.max_message_size = maxMessageBytes;
  link.local.attach.snd_settle_mode = link.snd_settle_mode ?? 2;
  onTransfer(link, (payload, delivery) => {
    const error = receive(connection, broker, queue, payload, delivery);
    answerWhenSafe(connection, broker, delivery, error);
  });
  connection.whenClosed(link, () => undefined);
}

/** Keeps the sender in credit and hands over each message as bytes. */
export function onTransfer(
  link: ReceiverInternals,
  handle: (payload: Buffer, delivery: IncomingDelivery) => void,
): void {
  link.add_credit(creditWindow);
  link.on("message", ({ message, delivery }) => {
    if (link.credit <= creditWindow / 2) link.add_credit(creditWindow - link.credit);
    if (delivery && Buffer.isBuffer(message)) handle(message, delivery);
  });
}

/** Settles a received message once everything recorded so far is safe. */
export function answerWhenSafe(
  connection: BusConnection,
  broker: Broker,
  delivery: IncomingDelivery,
  error: BusError | undefined,
): void {
  broker.store.commit(() => {
    delivery.settled = true;
    if (!delivery.remote_settled) connection.outlet.answer(delivery.link.session, true, delivery.id, error);
  });
}

function receive(
  connection: BusConnection,
  broker: Broker,
  queue: MessageQueue,
  payload: Buffer,
  delivery: IncomingDelivery,
): BusError | undefined {
  const oversize = connection.takeOversize();
  if (oversize > 0) return messageTooLarge(oversize, maxMessageBytes);
  try {
    const { length } = broker.send(queue, readTransfer(payload, delivery.format));
    queue.traffic.sends++;
    queue.traffic.messages += length;
    return undefined;
  } catch (error) {
    return error instanceof MalformedEncoding ? malformedMessage(error.message) : toBusError(error);
  }
}
