import type { ConnectionInternals, DispositionFields, SessionInternals } from "./rhea-internals.ts";

export const maxFrameBytes = 65_536;
export const maxChannel = 4999;
const maxHandle = 1023;
/** The largest message a sender may send, and so the largest batch: the limit of the standard tier. */
export const maxMessageBytes = 262_144;

/** Thrown at a peer that breaks the protocol; it costs the connection. */
export class ProtocolViolation extends Error {
  override readonly name = "ProtocolViolation";
}

/** The session a frame belongs to. */
export function sessionOf(connection: ConnectionInternals, channel: number): SessionInternals {
  const session = connection.remote_channel_map[channel];
  if (!session) throw new ProtocolViolation(`no session on channel ${channel}`);
  return session;
}

/** What a session and its links may cost: each frame that would create one is checked first. */
export const checkBegin = (connection: ConnectionInternals, channel: number): void => {
  if (channel > maxChannel || connection.remote_channel_map[channel]) {
    throw new ProtocolViolation(`channel ${channel} is in use or out of range`);
  }
};

export const checkAttach = (connection: ConnectionInternals, channel: number, handle: number): void => {
  if (handle > maxHandle || sessionOf(connection, channel).remote.handles[handle]) {
    throw new ProtocolViolation(`handle ${handle} is in use or out of range`);
  }
};

/** The delivery ids a disposition names, checked: a range of billions would stop the server for minutes. */
export function dispositionRange({ first, last }: DispositionFields): {
  readonly first: number;
  readonly last: number;
} {
  const end = last ?? first;
  if (end < first || end - first > 16_384)
    throw new ProtocolViolation(`a disposition of ${end - first} deliveries`);
  return { first, last: end };
}

/** Puts together a message that comes in pieces, without keeping more of it than a message may have. */
export class TransferMeter {
  readonly #received = new Map<number, number>();

  /** Counts a piece; says whether it is to be kept, and how large the message is so far. */
  count(
    channel: number,
    handle: number,
    bytes: number,
    more: boolean,
  ): { readonly keep: boolean; readonly total: number } {
    const key = linkKey(channel, handle);
    const total = (this.#received.get(key) ?? 0) + bytes;
    if (more) this.#received.set(key, total);
    else this.#received.delete(key);
    return { keep: total <= maxMessageBytes, total };
  }

  forget(channel: number, handle: number): void {
    this.#received.delete(linkKey(channel, handle));
  }
}

const linkKey = (channel: number, handle: number): number => channel * (maxHandle + 1) + handle;
