import type { DispositionFields, SessionInternals, TypedValue } from "./rhea-internals.ts";

/** A delivery the peer has not settled yet. */
export interface Unsettled {
  outcome(state: TypedValue | null | undefined, settledByPeer: boolean): void;
}

/** Deliveries under way to a peer, by session and delivery id. */
export class UnsettledTable {
  readonly #sessions = new Map<SessionInternals, Map<number, Unsettled>>();

  add(session: SessionInternals, deliveryId: number, delivery: Unsettled): void {
    const deliveries = this.#sessions.get(session);
    if (deliveries) deliveries.set(deliveryId, delivery);
    else this.#sessions.set(session, new Map([[deliveryId, delivery]]));
  }

  /** Passes the outcome of a range of deliveries to each of them; ids nobody waits for are ignored. */
  settle(
    session: SessionInternals,
    first: number,
    last: number,
    { state, settled }: DispositionFields,
  ): void {
    const deliveries = this.#sessions.get(session);
    if (!deliveries) return;
    for (let id = first; id <= last; id++) {
      const delivery = deliveries.get(id);
      if (!delivery) continue;
      deliveries.delete(id);
      delivery.outcome(state, settled === true);
    }
  }

  forget(session: SessionInternals): void {
    this.#sessions.delete(session);
  }
}
