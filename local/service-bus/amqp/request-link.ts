import { MalformedEncoding } from "../codec/scan.ts";
import type { Broker } from "../entities/broker.ts";
import { malformedMessage, toBusError } from "../errors.ts";
import type { BusConnection } from "./connection.ts";
import { answerWhenSafe, onTransfer } from "./intake-link.ts";
import { maxMessageBytes } from "./peer-limits.ts";
import { encodeReply, failure, readRequest, type Reply, type Request } from "./request.ts";
import type { ReceiverInternals, SenderInternals } from "./rhea-internals.ts";

export type Handler = (request: Request) => Reply;

const noTag = Buffer.from([0]);
const empty = Buffer.alloc(0);

/** The link on which requests come. Each is answered when what it changed is safe. */
export function openRequests(
  connection: BusConnection,
  link: ReceiverInternals,
  broker: Broker,
  handler: Handler,
): void {
  link.set_source({ address: link.source?.address });
  link.set_target({ address: link.target?.address });
  link.local.attach.max_message_size = maxMessageBytes;
  onTransfer(link, (payload, delivery) => {
    try {
      if (connection.takeOversize() > 0) throw new MalformedEncoding("the request is too large");
      const request = readRequest(payload);
      const reply = answer(handler, request);
      answerWhenSafe(connection, broker, delivery, undefined);
      broker.store.commit(() => sendReply(connection, request, reply));
    } catch (error) {
      answerWhenSafe(connection, broker, delivery, malformedMessage(toBusError(error).message));
    }
  });
  connection.whenClosed(link, () => undefined);
}

function answer(handler: Handler, request: Request): Reply {
  try {
    return handler(request);
  } catch (error) {
    return failure(error instanceof MalformedEncoding ? malformedMessage(error.message) : toBusError(error));
  }
}

/** Replies go to the link whose name or target is the request's reply address; without one they go nowhere. */
function sendReply(connection: BusConnection, { id, replyTo }: Request, reply: Reply): void {
  const link = connection.replyLinks.get(replyTo);
  if (!link?.is_open() || link.credit <= 0) return;
  connection.outlet.transfer(link, noTag, true, encodeReply(id, reply), empty);
}

/** The link on which replies go back. */
export function openReplies(connection: BusConnection, link: SenderInternals): void {
  const names = [link.name, link.target?.address].filter((name) => typeof name === "string");
  link.set_source({ address: link.source?.address });
  link.set_target({ address: link.target?.address });
  link.local.attach.snd_settle_mode = 1;
  for (const name of names) connection.replyLinks.set(name, link);
  connection.whenClosed(link, () => {
    for (const name of names)
      if (connection.replyLinks.get(name) === link) connection.replyLinks.delete(name);
  });
}
