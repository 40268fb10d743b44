import { encodeHead } from "../codec/encode-message.ts";
import { tagOfToken } from "../codec/lock-token.ts";
import type { Consumer } from "../entities/consumer.ts";
import type { MessageQueue } from "../entities/queue.ts";
import { lockedUntil, type Lock, type QueuedMessage } from "../entities/queued-message.ts";
import { acceptSession, releaseSession } from "../entities/session-locks.ts";
import type { Session } from "../entities/session.ts";
import { settle, type Settlement } from "../entities/settlement.ts";
import { toBusError, type BusError } from "../errors.ts";
import type { BusConnection } from "./connection.ts";
import { readOutcome } from "./outcome.ts";
import { wrapLong, type SenderInternals, type TypedValue } from "./rhea-internals.ts";

export const sessionFilter = "com.microsoft:session-filter";
const noTag = Buffer.alloc(0);
/** .NET counts time in tenths of a microsecond since the year 1. */
const ticksAtEpoch = 621_355_968_000_000_000n;

/** A client's receiver: takes messages from a queue, sends them, and carries out what the client decides. */
export class DeliveryLink implements Consumer {
  readonly mode: Consumer["mode"];
  promised = 0;
  readonly #connection: BusConnection;
  readonly #link: SenderInternals;
  readonly #queue: MessageQueue;
  #session: Session | undefined;

  constructor(connection: BusConnection, link: SenderInternals, queue: MessageQueue) {
    this.#connection = connection;
    this.#link = link;
    this.#queue = queue;
    this.mode = link.snd_settle_mode === 1 ? "receive-and-delete" : "peek-lock";
  }

  /** Answers the attach and begins to deliver; with a session id, only that session's messages. Throws if it cannot. */
  open(sessionId: string | undefined): void {
    const { local, source, target } = this.#link;
    if (sessionId !== undefined) this.#session = acceptSession(this.#queue, sessionId, this);
    local.attach.snd_settle_mode = this.#link.snd_settle_mode ?? 2;
    local.attach.rcv_settle_mode = this.#link.rcv_settle_mode ?? 0;
    this.#link.set_target({ address: target?.address });
    if (this.#session) {
      const ticks = BigInt(Math.trunc(this.#session.lockedUntil)) * 10_000n + ticksAtEpoch;
      local.attach.properties = { "com.microsoft:locked-until-utc": wrapLong(ticks) };
      this.#link.set_source({ address: source?.address, filter: { [sessionFilter]: this.#session.id } });
    } else {
      this.#link.set_source({ address: source?.address });
      this.#queue.addConsumer(this);
    }
    this.#listen();
  }

  #listen(): void {
    const link = this.#link;
    /** rhea answers a drain only while credit is left; the client waits for the answer in any case. */
    link._get_drain = () => {
      link.delivery_count += link.credit;
      link.credit = 0;
      return true;
    };
    link.on("sender_flow", () => this.#pump());
    link.on("sender_draining", () => {
      if (this.promised > 0) this.#queue.store.flush();
      this.#connection.outlet.afterBacklog(link.session, () => link.set_drained(true));
    });
    const stopWaking = this.#connection.whenFree(() => this.#pump());
    this.#connection.whenClosed(link, () => {
      stopWaking();
      this.#queue.dispatcher.remove(this);
      if (this.#session) releaseSession(this.#queue, this.#session, this);
    });
  }

  #pump(): void {
    if (this.#session) this.#queue.dispatcher.pumpSession(this.#session);
    else this.#queue.dispatcher.pump();
  }

  credit(): number {
    return this.#link.is_open() ? this.#connection.outlet.credit(this.#link) - this.promised : 0;
  }

  deliver(message: QueuedMessage, lock: Lock | undefined): void {
    if (!lock) this.promised--;
    if (!this.#link.is_open()) return;
    const { content, deliveryCount, enqueuedAt, sequence, enqueuedSequence, deadLetterSource, ttlMs } =
      message;
    const head = encodeHead(content, {
      ttlMs,
      deliveryCount,
      enqueuedAt,
      sequence,
      enqueuedSequence,
      lockedUntil: lock && lockedUntil(lock),
      deadLetterSource,
    });
    const tag = lock ? tagOfToken(lock.token) : noTag;
    const deliveryId = this.#connection.outlet.transfer(this.#link, tag, !lock, head, content.bare);
    this.#queue.traffic.deliveries++;
    if (!lock) return;
    this.#connection.unsettled.add(this.#link.session, deliveryId, {
      outcome: (state, settledByPeer) => this.#outcome(deliveryId, lock, state, settledByPeer),
    });
  }

  #outcome(
    deliveryId: number,
    lock: Lock,
    state: TypedValue | null | undefined,
    settledByPeer: boolean,
  ): void {
    const settlement = readOutcome(state) ?? abandoned;
    const error = this.#settle(lock, settlement);
    if (settledByPeer) return;
    this.#queue.store.commit(() =>
      this.#connection.outlet.answer(this.#link.session, false, deliveryId, error),
    );
  }

  #settle(lock: Lock, settlement: Settlement): BusError | undefined {
    try {
      settle(this.#queue, lock, settlement);
      this.#queue.traffic.settlements++;
      return undefined;
    } catch (error) {
      return toBusError(error);
    }
  }

  evict(error: BusError): void {
    this.#connection.refuse(this.#link, error);
  }
}

/** A peer that settles without saying how has not processed the message. */
const abandoned: Settlement = { kind: "abandon", properties: new Map() };
