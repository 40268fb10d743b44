import type { AttachFrame, FlowFrame } from "./rhea-internals.ts";

interface Held {
  readonly frame: AttachFrame;
  readonly flows: FlowFrame[];
  readonly cancel: () => void;
}

/**
 * Attaches that wait for a session to become available. rhea answers an attach in the next tick, so the frame itself
 * is kept back; whatever the peer sends about that handle meanwhile must not reach rhea before it.
 */
export class HeldAttaches {
  readonly #held = new Map<string, Held>();

  add(frame: AttachFrame, cancel: () => void): void {
    this.#held.set(keyOf(frame.channel, frame.performative.handle), { frame, flows: [], cancel });
  }

  /** Takes a frame out to be answered now. */
  take(channel: number, handle: number): Held | undefined {
    const key = keyOf(channel, handle);
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held;
  }

  /** Keeps a flow for later, if its link is held. */
  keepFlow(frame: FlowFrame): boolean {
    const { handle } = frame.performative;
    const held = typeof handle === "number" ? this.#held.get(keyOf(frame.channel, handle)) : undefined;
    held?.flows.push(frame);
    return held !== undefined;
  }

  has(channel: number, handle: number): boolean {
    return this.#held.has(keyOf(channel, handle));
  }

  /** Forgets the frames of one channel, or all of them. */
  dropChannel(channel?: number): void {
    for (const [key, held] of this.#held) {
      if (channel !== undefined && held.frame.channel !== channel) continue;
      held.cancel();
      this.#held.delete(key);
    }
  }
}

const keyOf = (channel: number, handle: number): string => `${channel}/${handle}`;
