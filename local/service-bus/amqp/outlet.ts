import type { BusError } from "../errors.ts";
import { dispositionFrame, transferFrame, transferOverhead, type TransferFields } from "./out-frames.ts";
import type { ConnectionInternals, SenderInternals, SessionInternals } from "./rhea-internals.ts";

/** Bytes that may wait for a slow peer before it gets no more messages. */
const congestedAbove = 4 * 1024 * 1024;

/** Every AMQP peer must take frames of this size, whatever it says. */
const smallestFrame = 512;

interface Run {
  first: number;
  last: number;
}

/**
 * Writes the frames the server builds itself: transfers and dispositions. They are collected during a turn and leave
 * in one write; settlements of neighbours with the same outcome share a frame. (rhea would merge the first two of a
 * turn whatever their outcomes, and would count credit only in the next tick.)
 */
export class Outlet {
  readonly #connection: ConnectionInternals;
  #frames: Buffer[] = [];
  #bytes = 0;
  /** Accepted deliveries not yet written, by channel and role. */
  readonly #runs = new Map<number, Run>();
  /** What the peer's session window does not allow yet. */
  readonly #backlogs = new Map<SessionInternals, (Buffer | (() => void))[]>();

  constructor(connection: ConnectionInternals) {
    this.#connection = connection;
  }

  /** How many messages the link can take now: its credit, unless the window or the socket is full. */
  credit(link: SenderInternals): number {
    const { session } = link;
    if (this.#backlogs.has(session) || !(session.outgoing.transfer_window() > 0)) return 0;
    return this.#connection.socket.writableLength + this.#bytes > congestedAbove ? 0 : link.credit;
  }

  /** Sends one message and returns its delivery id. */
  transfer(link: SenderInternals, tag: Buffer, settled: boolean, head: Buffer, bare: Buffer): number {
    const { session } = link;
    const { outgoing } = session;
    const deliveryId = outgoing.next_delivery_id++;
    outgoing.next_pending_delivery = outgoing.next_delivery_id;
    link.credit--;
    link.delivery_count++;
    const fields = { channel: session.local.channel, handle: link.local.handle, deliveryId, tag, settled };
    for (const frame of this.#fragments(fields, head, bare)) this.#sendInWindow(session, frame);
    return deliveryId;
  }

  *#fragments(fields: TransferFields, head: Buffer, bare: Buffer): Iterable<Buffer> {
    const frame = Math.max(this.#connection.max_frame_size ?? Infinity, smallestFrame);
    const room = frame - transferOverhead - fields.tag.length;
    if (head.length + bare.length <= room) {
      yield transferFrame(fields, false, [head, bare]);
      return;
    }
    const whole = Buffer.concat([head, bare]);
    for (let at = 0; at < whole.length; at += room) {
      yield transferFrame(fields, at + room < whole.length, [whole.subarray(at, at + room)]);
    }
  }

  #sendInWindow(session: SessionInternals, frame: Buffer): void {
    const backlog = this.#backlogs.get(session);
    if (backlog) {
      backlog.push(frame);
    } else if (session.outgoing.transfer_window() > 0) {
      session.outgoing.next_transfer_id++;
      this.#push(frame);
    } else {
      this.#backlogs.set(session, [frame]);
    }
  }

  /** Continues after the peer has opened its window. */
  resume(session: SessionInternals): void {
    const backlog = this.#backlogs.get(session);
    if (!backlog) return;
    while (backlog.length > 0) {
      const next = backlog[0]!;
      if (typeof next !== "function") {
        if (!(session.outgoing.transfer_window() > 0)) return;
        session.outgoing.next_transfer_id++;
        this.#push(next);
      } else {
        next();
      }
      backlog.shift();
    }
    this.#backlogs.delete(session);
  }

  /** Runs something once everything sent so far on the session has left. */
  afterBacklog(session: SessionInternals, run: () => void): void {
    const backlog = this.#backlogs.get(session);
    if (backlog) backlog.push(run);
    else run();
  }

  forget(session: SessionInternals): void {
    this.#backlogs.delete(session);
  }

  /** Settles a delivery: accepted, or rejected with the error. */
  answer(session: SessionInternals, asReceiver: boolean, deliveryId: number, error?: BusError): void {
    // A session that ended meanwhile may have left its channel to another.
    if (!session.is_open()) return;
    const { channel } = session.local;
    if (error) {
      this.#push(dispositionFrame(channel, asReceiver, deliveryId, deliveryId, error));
      return;
    }
    const key = channel * 2 + Number(asReceiver);
    const run = this.#runs.get(key);
    if (run && deliveryId === run.last + 1) {
      run.last = deliveryId;
      return;
    }
    if (run) this.#writeRun(key, run);
    this.#runs.set(key, { first: deliveryId, last: deliveryId });
    this.#connection._register();
  }

  #writeRun(key: number, { first, last }: Run): void {
    this.#push(dispositionFrame(key >> 1, key % 2 === 1, first, last, undefined));
  }

  #push(frame: Buffer): void {
    this.#frames.push(frame);
    this.#bytes += frame.length;
    this.#connection._register();
  }

  /** Writes everything collected. */
  flush(): void {
    for (const [key, run] of this.#runs) this.#writeRun(key, run);
    this.#runs.clear();
    if (this.#frames.length === 0) return;
    const frames = this.#frames;
    this.#frames = [];
    this.#bytes = 0;
    this.#connection.socket.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames));
  }
}
