/** A link address taken apart; names compare without regard to case. */
export interface Address {
  /** Path of the queue, topic or subscription, in lower case. */
  readonly entity: string;
  readonly subqueue: "dead-letters" | "transfer-dead-letters" | undefined;
  readonly node: "entity" | "management" | "cbs";
}

const management = /\/\$management$/;
const transfer = /\/\$transfer\/\$deadletterqueue$/;
const dead = /\/\$deadletterqueue$/;

/** Reads `queue`, `topic/Subscriptions/name`, `.../$DeadLetterQueue`, `.../$management`, also behind `sb://host/`. */
export function parseAddress(text: string): Address {
  const path = text
    .replace(/^[a-z]+:\/\/[^/]*\/?/i, "")
    .replace(/^\/+|\/+$/g, "")
    .toLowerCase();
  if (path === "$cbs") return { entity: "", subqueue: undefined, node: "cbs" };
  const node = management.test(path) ? "management" : "entity";
  const rest = path.replace(management, "");
  if (transfer.test(rest))
    return { entity: rest.replace(transfer, ""), subqueue: "transfer-dead-letters", node };
  if (dead.test(rest)) return { entity: rest.replace(dead, ""), subqueue: "dead-letters", node };
  return { entity: rest, subqueue: undefined, node };
}
