/**
 * The parts of rhea this server reaches below its public interface, typed exactly as far as they are used. rhea's own
 * declarations leave them out or call them `any`; every cast the server needs is in this file. All of it belongs to
 * rhea 3.0.5: the version is pinned, and the conformance suite is the guard for a change of it.
 */
import type { Socket } from "node:net";

import rhea, { type Connection } from "rhea";

/** A decoded AMQP value with its type; `value` holds more of them for lists and maps. */
export interface TypedValue {
  readonly descriptor?: { readonly value: unknown };
  readonly value: unknown;
}

interface Frame<Performative> {
  readonly channel: number;
  readonly performative: Performative;
  payload?: Buffer | undefined;
}
export interface AttachFields {
  readonly name: string;
  readonly handle: number;
  /** True when the peer is the receiver. */
  readonly role: boolean;
  readonly source: TypedValue | null | undefined;
  readonly properties: Readonly<Record<string, unknown>> | null | undefined;
}
export interface TransferFields {
  readonly handle: number;
  readonly more: boolean | null | undefined;
  message_format: number | null | undefined;
}
export interface DispositionFields {
  readonly role: boolean;
  readonly first: number;
  readonly last: number | null | undefined;
  readonly settled: boolean | null | undefined;
  readonly state: TypedValue | null | undefined;
}
export interface FlowFields {
  readonly handle: number | null | undefined;
}
export type AttachFrame = Frame<AttachFields>;
export type TransferFrame = Frame<TransferFields>;
export type DispositionFrame = Frame<DispositionFields>;
export type FlowFrame = Frame<FlowFields>;
export type HandleFrame = Frame<{ readonly handle: number }>;
export type PlainFrame = Frame<unknown>;

/** The frame handlers of a connection; an instance may replace those of the prototype. */
export interface FrameHandlers {
  on_begin(frame: PlainFrame): void;
  on_attach(frame: AttachFrame): void;
  on_transfer(frame: TransferFrame): void;
  on_disposition(frame: DispositionFrame): void;
  on_flow(frame: FlowFrame): void;
  on_detach(frame: HandleFrame): void;
  on_end(frame: PlainFrame): void;
}

export interface ConnectionInternals extends FrameHandlers {
  readonly socket: Socket;
  readonly max_frame_size: number | undefined;
  readonly remote_channel_map: Readonly<Record<number, SessionInternals | undefined>>;
  accept(socket: Socket): void;
  input(chunk: Buffer): void;
  close(error?: AmqpErrorFields): void;
  is_open(): boolean;
  on(event: string, listener: (context: EventContext) => void): void;
  /** Asks for `_process` in the next tick. */
  _register(): void;
  _process(): void;
  _write_frame(): void;
  /** Clears the heartbeats and reports the end. rhea calls it for `end` and `error` of the socket, not for `close`. */
  _disconnected(error?: Error): void;
}

export interface SessionInternals {
  readonly connection: ConnectionInternals;
  readonly local: { readonly channel: number };
  readonly remote: { readonly handles: Record<number, LinkInternals | undefined> };
  is_open(): boolean;
  readonly outgoing: {
    next_delivery_id: number;
    next_pending_delivery: number;
    next_transfer_id: number;
    /** Transfers the peer's window still allows; not a number before its first flow. */
    transfer_window(): number;
  };
}

export interface AmqpErrorFields {
  readonly condition: string;
  readonly description: string;
}

export interface LinkInternals {
  readonly name: string;
  readonly session: SessionInternals;
  readonly connection: ConnectionInternals;
  readonly local: {
    readonly handle: number;
    readonly attach: {
      snd_settle_mode: number;
      rcv_settle_mode: number;
      max_message_size: number;
      properties: Readonly<Record<string, unknown>>;
    };
  };
  readonly snd_settle_mode: number | null | undefined;
  readonly rcv_settle_mode: number | null | undefined;
  readonly source: Terminus | null | undefined;
  readonly target: Terminus | null | undefined;
  readonly properties: Readonly<Record<string, unknown>> | null | undefined;
  credit: number;
  is_open(): boolean;
  is_receiver(): boolean;
  set_source(fields: object): void;
  set_target(fields: object): void;
  close(error?: AmqpErrorFields): void;
  on(event: string, listener: (context: EventContext) => void): void;
}

export interface Terminus {
  readonly address: string | null | undefined;
  readonly filter?: Readonly<Record<string, unknown>> | null;
}

export interface SenderInternals extends LinkInternals {
  delivery_count: number;
  set_drained(drained: boolean): void;
  _get_drain(): boolean;
}

export interface ReceiverInternals extends LinkInternals {
  add_credit(credit: number): void;
}

export interface IncomingDelivery {
  readonly id: number;
  readonly format: number;
  readonly link: ReceiverInternals;
  /** The peer settled it when it sent it: it wants no answer. */
  readonly remote_settled: boolean;
  /** Set by us once answered, so that rhea lets go of the delivery. */
  settled: boolean;
}

export interface EventContext {
  readonly sender?: SenderInternals;
  readonly receiver?: ReceiverInternals;
  readonly delivery?: IncomingDelivery;
  readonly message?: unknown;
}

/** A server-side connection that has no socket yet, so that its handlers can be replaced first. */
export function createConnection(container: rhea.Container, options: object): ConnectionInternals {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rhea types neither the options nor the internals
  return container.create_connection(options as rhea.ConnectionOptions) as Connection & ConnectionInternals;
}

/** The handlers every connection shares, to be called by those that replace them. */
export function sharedHandlers(connection: ConnectionInternals): ConnectionInternals {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a prototype is typed `any`
  return Object.getPrototypeOf(connection) as ConnectionInternals;
}

/** Frees the peer's handle of a detached link; rhea looks for it where it never put it, and would keep it in use. */
export function releaseHandle(session: SessionInternals, handle: number): void {
  delete session.remote.handles[handle];
}

/** Plain values of a typed one, as rhea itself unwraps them. */
export function unwrap(value: TypedValue | null | undefined): unknown {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rhea's declarations do not name this function
  const types = rhea.types as unknown as { unwrap(value: unknown, leaveDescribed: boolean): unknown };
  return value === null || value === undefined ? undefined : types.unwrap(value, false);
}

/** A `long` too large for a number, ready to be put into a map of rhea's. */
export function wrapLong(value: bigint): unknown {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rhea's declarations do not name this function
  return (rhea.types as unknown as { wrap_long(value: Buffer): unknown }).wrap_long(bytes);
}

/** A container whose clients authenticate anonymously, as they do before they put a token. */
export function createContainer(): rhea.Container {
  const container = rhea.create_container();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- rhea types the mechanisms as `any`
  const mechanisms = container.sasl_server_mechanisms as Record<string, () => SaslMechanism>;
  mechanisms["MSSBCBS"] = anonymous;
  mechanisms["ANONYMOUS"] = anonymous;
  return container;
}

interface SaslMechanism {
  outcome: boolean | undefined;
  start(): void;
}

const anonymous = (): SaslMechanism => ({
  outcome: undefined,
  start() {
    this.outcome = true;
  },
});
