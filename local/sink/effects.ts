export interface Behaviour {
  /** So many requests are answered with 503 before any other. */
  readonly failFirst: number;
  readonly status: number;
}

/** What the sink does about a request. */
export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, string>>;
  /** For the person who watches. */
  readonly says: string;
  /** The same request has been answered before, and nothing was done again. */
  readonly repeated: boolean;
}

/** The vendor's own memory: what it has done, and under which idempotency keys. */
export function createEffects({ failFirst, status }: Behaviour): (idempotencyKey?: string) => Reply {
  const idsByKey = new Map<string, string>();
  let seen = 0;
  let done = 0;
  return (idempotencyKey) => {
    seen += 1;
    if (seen <= failFirst) return refusal(503, `failure ${seen} of ${failFirst}`);
    const known = idempotencyKey === undefined ? undefined : idsByKey.get(idempotencyKey);
    if (known !== undefined) {
      return {
        status,
        body: { id: known },
        says: `${known} again: it was done before, under this key`,
        repeated: true,
      };
    }
    if (status >= 300) return refusal(status, "as --status says");
    done += 1;
    const id = `sink-${done}`;
    if (idempotencyKey !== undefined) idsByKey.set(idempotencyKey, id);
    return { status, body: { id }, says: `done, as ${id}`, repeated: false };
  };
}

/** What was refused has no id and is not remembered: the next attempt under the same key counts. */
function refusal(status: number, why: string): Reply {
  const error = status >= 500 ? "The sink is out of order." : "The sink does not take this.";
  return { status, body: { error }, says: `not done, ${why}`, repeated: false };
}
