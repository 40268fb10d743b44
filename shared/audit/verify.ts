import { type AuditEntry, genesisHash, hashOf } from "./entry.ts";

/** Where the next older entry is expected, and the hash it must have. */
export interface Link {
  readonly seq: number;
  readonly hash: string;
}

export interface Break {
  readonly seq: number;
  readonly reason: "entry-missing" | "entry-changed" | "link-broken" | "anchor-differs";
}

export type Followed =
  { readonly kind: "whole"; readonly next: Link } | { readonly kind: "broken"; readonly at: Break };

/**
 * Follows the chain through entries that come newest first: each must be the one that is expected, say what its hash was
 * made of, and have the hash its successor names. `anchor` is an entry whose hash was noted somewhere else before.
 */
export function follow(link: Link, entries: readonly AuditEntry[], anchor?: Link): Followed {
  let next = link;
  for (const entry of entries) {
    const { seq } = next;
    if (entry.seq !== seq) return broken(seq, "entry-missing");
    if (entry.hash !== next.hash) return broken(seq, "link-broken");
    if (hashOf(entry) !== entry.hash) return broken(seq, "entry-changed");
    if (anchor?.seq === seq && anchor.hash !== entry.hash) return broken(seq, "anchor-differs");
    next = { seq: seq - 1, hash: entry.prevHash };
  }
  return { kind: "whole", next };
}

/** The chain ended here: it must be where it began. */
export function followToEnd({ seq, hash }: Link): Followed {
  if (seq > 0) return broken(seq, "entry-missing");
  return hash === genesisHash ? { kind: "whole", next: { seq, hash } } : broken(1, "link-broken");
}

function broken(seq: number, reason: Break["reason"]): Followed {
  return { kind: "broken", at: { seq, reason } };
}
