import type { Socket } from "node:net";

import type { Container } from "rhea";

import type { BusError } from "../errors.ts";
import { FrameGuard } from "./frame-guard.ts";
import { HeldAttaches } from "./held-attaches.ts";
import { Outlet } from "./outlet.ts";
import {
  checkAttach,
  checkBegin,
  dispositionRange,
  maxChannel,
  maxFrameBytes,
  ProtocolViolation,
  sessionOf,
  TransferMeter,
} from "./peer-limits.ts";
import {
  createConnection,
  releaseHandle,
  sharedHandlers,
  type AttachFrame,
  type ConnectionInternals,
  type LinkInternals,
  type ReceiverInternals,
  type SenderInternals,
  type TransferFrame,
} from "./rhea-internals.ts";
import { UnsettledTable } from "./unsettled.ts";

/** Time a peer has to get from connecting to its AMQP open, and from its close to hanging up. */
const handshakeMs = 20_000;
const farewellMs = 2_000;
/** Asked of the peer: rhea ends a connection that is silent for twice as long. */
const idleTimeoutMs = 120_000;
/** Any format but 0 makes rhea hand over the bytes of a message instead of decoding them. */
const rawFormat = 1;

/** What happens on the links of a connection. */
export interface ConnectionEvents {
  /** The peer wants to send. */
  receiverOpened(connection: BusConnection, link: ReceiverInternals): void;
  /** The peer wants to receive; `session` is what it waited for. */
  senderOpened(connection: BusConnection, link: SenderInternals, session: string | undefined): void;
  /** A chance to let an attach wait: true when it will be answered later, through `proceed`. */
  holds(connection: BusConnection, frame: AttachFrame): boolean;
  closed(connection: BusConnection): void;
}

/** One client connection: rhea's, with the handlers replaced that a server must not leave to it. */
export class BusConnection {
  readonly outlet: Outlet;
  readonly held = new HeldAttaches();
  readonly unsettled = new UnsettledTable();
  /** Where replies to requests go, by link name and by target address. */
  readonly replyLinks = new Map<string, SenderInternals>();
  /** Entity paths a token was accepted for, and until when. */
  readonly tokens = new Map<string, number>();
  readonly #rhea: ConnectionInternals;
  readonly #shared: ConnectionInternals;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  readonly #log: (line: string) => void;
  readonly #guard = new FrameGuard(maxFrameBytes);
  readonly #meter = new TransferMeter();
  readonly #cleanups = new Map<LinkInternals, () => void>();
  readonly #drains = new Set<() => void>();
  #waitedFor: string | undefined;
  #oversize = 0;
  #ackPending = false;

  constructor(socket: Socket, container: Container, events: ConnectionEvents, log: (line: string) => void) {
    this.#socket = socket;
    this.#events = events;
    this.#log = log;
    this.#rhea = createConnection(container, {
      idle_time_out: idleTimeoutMs,
      max_frame_size: maxFrameBytes,
      channel_max: maxChannel,
      require_sasl: true,
      reconnect: false,
      tcp_no_delay: true,
      session_buffer_size: { incoming: 4096, outgoing: 8 },
      receiver_options: { credit_window: 0, autoaccept: false },
      sender_options: { autosettle: false, treat_modified_as_released: false },
    });
    this.#shared = sharedHandlers(this.#rhea);
    this.outlet = new Outlet(this.#rhea);
    this.#replaceHandlers();
    this.#listen();
    this.#rhea.accept(socket);
  }

  #replaceHandlers(): void {
    const rhea = this.#rhea;
    const shared = this.#shared;
    rhea.input = (chunk) => this.#input(chunk);
    rhea._process = () => this.#process();
    rhea.on_transfer = (frame) => this.#onTransfer(frame);
    rhea.on_attach = (frame) => {
      const { handle } = frame.performative;
      checkAttach(rhea, frame.channel, handle);
      if (this.held.has(frame.channel, handle)) throw new ProtocolViolation(`handle ${handle} is in use`);
      if (!this.#events.holds(this, frame)) shared.on_attach.call(rhea, frame);
    };
    rhea.on_begin = (frame) => {
      checkBegin(rhea, frame.channel);
      shared.on_begin.call(rhea, frame);
    };
    rhea.on_flow = (frame) => {
      if (this.held.keepFlow(frame)) return;
      shared.on_flow.call(rhea, frame);
      this.outlet.resume(sessionOf(rhea, frame.channel));
      if (frame.performative.handle === null || frame.performative.handle === undefined) this.#wakeLinks();
    };
    rhea.on_detach = (frame) => {
      this.proceed(frame.channel, frame.performative.handle, undefined);
      this.#meter.forget(frame.channel, frame.performative.handle);
      shared.on_detach.call(rhea, frame);
      releaseHandle(sessionOf(rhea, frame.channel), frame.performative.handle);
    };
    rhea.on_end = (frame) => {
      this.held.dropChannel(frame.channel);
      shared.on_end.call(rhea, frame);
    };
    rhea.on_disposition = (frame) => {
      const { first, last } = dispositionRange(frame.performative);
      const session = sessionOf(rhea, frame.channel);
      if (frame.performative.role) this.unsettled.settle(session, first, last, frame.performative);
      else shared.on_disposition.call(rhea, frame);
    };
  }

  #listen(): void {
    const rhea = this.#rhea;
    const socket = this.#socket;
    for (const event of ["error", "protocol_error"]) {
      rhea.on(event, (context) => this.#fail(context instanceof Error ? context.message : "protocol error"));
    }
    const ignored = ["connection_error", "session_error", "sender_error", "receiver_error", "disconnected"];
    for (const event of ignored) rhea.on(event, () => undefined);
    rhea.on("connection_open", () => socket.setTimeout(0));
    rhea.on("connection_close", () => {
      this.#endAll();
      socket.setTimeout(farewellMs);
    });
    rhea.on("session_close", (context) => {
      if ("session" in context) this.#cleanUp((link) => link.session === context.session);
    });
    rhea.on("sender_open", ({ sender }) => {
      if (sender) this.#events.senderOpened(this, sender, this.#waitedFor);
    });
    rhea.on("receiver_open", ({ receiver }) => {
      if (receiver) this.#events.receiverOpened(this, receiver);
    });
    rhea.on("sender_close", ({ sender }) => this.#cleanUp((link) => link === sender));
    rhea.on("receiver_close", ({ receiver }) => this.#cleanUp((link) => link === receiver));
    socket.setTimeout(handshakeMs, () => socket.destroy());
    socket.on("drain", () => this.#wakeLinks());
    socket.on("error", () => undefined);
    socket.once("close", () => {
      rhea._disconnected();
      this.#endAll();
      this.#events.closed(this);
    });
  }

  /** What to do when the link, its session or the connection ends, however that happens. */
  whenClosed(link: LinkInternals, cleanUp: () => void): void {
    this.#cleanups.set(link, cleanUp);
  }

  /** Calls back whenever a link that was held up by a full window or socket may go on. */
  whenFree(wake: () => void): () => void {
    this.#drains.add(wake);
    return () => this.#drains.delete(wake);
  }

  /** Answers an attach that was held, with the session it waited for or without one. */
  proceed(channel: number, handle: number, session: string | undefined): void {
    const held = this.held.take(channel, handle);
    if (!held) return;
    held.cancel();
    this.#waitedFor = session;
    try {
      this.#shared.on_attach.call(this.#rhea, held.frame);
      for (const flow of held.flows) this.#rhea.on_flow(flow);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    } finally {
      this.#waitedFor = undefined;
    }
  }

  /** Refuses a link: an attach without source and target, then a detach that says why. */
  refuse(link: LinkInternals, { condition, message }: BusError): void {
    link.close({ condition, description: message });
  }

  /** The size of the message just received, when that is more than a message may have; asked once per message. */
  takeOversize(): number {
    const bytes = this.#oversize;
    this.#oversize = 0;
    return bytes;
  }

  /** Says goodbye, then hangs up once that is written. */
  close(): void {
    if (this.#rhea.is_open()) {
      this.#rhea.close({ condition: "amqp:connection:forced", description: "The server is stopping." });
    }
    setImmediate(() => this.#socket.destroySoon());
    setTimeout(() => this.#socket.destroy(), farewellMs).unref();
  }

  #input(chunk: Buffer): void {
    if (this.#socket.destroyed) return;
    try {
      const frames = this.#guard.push(chunk);
      if (frames) this.#shared.input.call(this.#rhea, frames);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
      return;
    }
    this.#acknowledgeSoon();
  }

  /**
   * A client's socket waits with its next small write until the last one is acknowledged, and the kernel delays that
   * acknowledgement by 40 ms unless something is sent with it. So something is: an empty frame, if nothing else was.
   */
  #acknowledgeSoon(): void {
    if (this.#ackPending) return;
    this.#ackPending = true;
    const before = this.#socket.bytesWritten;
    setImmediate(() => {
      this.#ackPending = false;
      if (this.#socket.bytesWritten === before && this.#socket.writable && this.#rhea.is_open()) {
        this.#rhea._write_frame();
      }
    });
  }

  #process(): void {
    this.#socket.cork();
    try {
      if (this.#socket.writable) this.outlet.flush();
      this.#shared._process.call(this.#rhea);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    } finally {
      this.#socket.uncork();
    }
  }

  #onTransfer(frame: TransferFrame): void {
    const { performative, channel } = frame;
    const { handle } = performative;
    const link = sessionOf(this.#rhea, channel).remote.handles[handle];
    const more = performative.more === true;
    if (!link?.is_receiver() || link.credit <= 0) throw new ProtocolViolation("a transfer nobody asked for");
    const { keep, total } = this.#meter.count(channel, handle, frame.payload?.length ?? 0, more);
    if (!keep) frame.payload = Buffer.alloc(0);
    if (!keep && !more) this.#oversize = total;
    performative.message_format ||= rawFormat;
    this.#shared.on_transfer.call(this.#rhea, frame);
  }

  #wakeLinks(): void {
    for (const wake of this.#drains) wake();
  }

  #endAll(): void {
    this.held.dropChannel();
    this.#cleanUp(() => true);
  }

  #cleanUp(which: (link: LinkInternals) => boolean): void {
    for (const [link, cleanUp] of this.#cleanups) {
      if (!which(link)) continue;
      this.#cleanups.delete(link);
      cleanUp();
      if ([...this.#cleanups.keys()].some(({ session }) => session === link.session)) continue;
      this.unsettled.forget(link.session);
      this.outlet.forget(link.session);
    }
  }

  #fail(reason: string): void {
    this.#log(`A connection was dropped: ${reason}`);
    this.#socket.destroySoon();
  }
}
