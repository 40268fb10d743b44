import type { EventRaised } from "./history.ts";

type Hear = (event: EventRaised) => void;

/** Brings events to those who wait for them, as the extension does: without regard to case, the latest to wait first. */
export class EventWaiters {
  readonly #waiting = new Map<string, Hear[]>();
  /** Came before anyone waited. */
  readonly #early = new Map<string, EventRaised[]>();

  wait(name: string, hear: Hear): void {
    const key = name.toLowerCase();
    const early = this.#early.get(key)?.shift();
    if (early === undefined) added(this.#waiting, key, hear);
    else hear(early);
  }

  raise(event: EventRaised): void {
    const key = event.Name.toLowerCase();
    const hear = this.#waiting.get(key)?.pop();
    if (hear === undefined) added(this.#early, key, event);
    else hear(event);
  }
}

function added<Item>(lists: Map<string, Item[]>, key: string, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
