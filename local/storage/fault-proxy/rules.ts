import type { BlobKind, Operation, TableKind } from "./operation.ts";
import { seededRandom } from "./random.ts";

export type Fault =
  /** 503 `ServerBusy`; nothing is applied. */
  | { readonly kind: "busy"; readonly retryAfterSeconds?: number }
  /** 500 `OperationTimedOut`; nothing is applied, though a client cannot know. */
  | { readonly kind: "timed-out" }
  /** The connection is reset; nothing is applied. */
  | { readonly kind: "reset" }
  /** The operation is applied, then the connection reset or 503 answered: the client cannot know. */
  | { readonly kind: "lost-acknowledgement"; readonly answer: "reset" | "busy" }
  /** The operation waits; other faults still come after. */
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** 503 `ServerBusy` for what exceeds the rate in any one second. */
  | { readonly kind: "rate"; readonly perSecond: number }
  /** A query gets no rows yet, only a token to go on with, as at a partition's boundary. */
  | { readonly kind: "empty-page" };

export interface Match {
  readonly service?: Operation["service"];
  readonly kind?: TableKind | BlobKind | readonly (TableKind | BlobKind)[];
  /** The name of the table or container. */
  readonly resource?: string;
  readonly partitionKey?: string;
  readonly rowKey?: string;
  readonly blob?: string;
}

export interface Rule {
  /** What it applies to; every field given must agree, and none means everything. */
  readonly match: Match;
  readonly fault: Fault;
  /** After so many faults the rule is spent. */
  readonly times?: number;
  /** How many matching operations pass before the first fault. */
  readonly skip?: number;
  /** How likely a matching operation meets the fault. */
  readonly probability?: number;
  readonly seed?: number;
}

export interface ActiveRule {
  /** How many operations have met the fault. */
  readonly hits: number;
  remove(): void;
}

/** What is to happen to one operation. */
export interface Plan {
  readonly delayMs: number;
  readonly fault: Exclude<Fault, { kind: "delay" | "rate" }> | undefined;
}

interface State {
  readonly rule: Rule;
  readonly random: () => number;
  hits: number;
  seen: number;
  second: number;
  inSecond: number;
}

/** The faults in force, in the order in which they were added. */
export class Rules {
  readonly #now: () => number;
  readonly #states = new Set<State>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(rule: Rule): ActiveRule {
    const state = { rule, random: seededRandom(rule.seed ?? 1), hits: 0, seen: 0, second: 0, inSecond: 0 };
    this.#states.add(state);
    return {
      get hits() {
        return state.hits;
      },
      remove: () => void this.#states.delete(state),
    };
  }

  clear(): void {
    this.#states.clear();
  }

  /** Delays add up; of the other faults the first that strikes is the one, and later rules are not asked. */
  plan(operation: Operation): Plan {
    let delayMs = 0;
    for (const state of this.#states) {
      if (!this.#strikes(state, operation)) continue;
      state.hits += 1;
      const { fault } = state.rule;
      if (fault.kind === "delay") delayMs += fault.milliseconds;
      else return { delayMs, fault: fault.kind === "rate" ? { kind: "busy" } : fault };
    }
    return { delayMs, fault: undefined };
  }

  #strikes(state: State, operation: Operation): boolean {
    const { match, fault, times = Infinity, skip = 0, probability = 1 } = state.rule;
    if (state.hits >= times || !matches(match, operation)) return false;
    if (fault.kind === "empty-page" && operation.kind !== "query") return false;
    state.seen += 1;
    if (state.seen <= skip) return false;
    if (probability < 1 && state.random() >= probability) return false;
    return fault.kind !== "rate" || this.#exceeds(state, fault.perSecond);
  }

  #exceeds(state: State, perSecond: number): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (state.second !== second) state.inSecond = 0;
    state.second = second;
    state.inSecond += 1;
    return state.inSecond > perSecond;
  }
}

function matches(match: Match, operation: Operation): boolean {
  const { kind, ...fields } = match;
  const kinds = typeof kind === "string" ? [kind] : kind;
  if (kinds && !kinds.includes(operation.kind)) return false;
  const known: Readonly<Record<string, unknown>> = { ...operation };
  return Object.entries(fields).every(([name, value]) => value === undefined || known[name] === value);
}
