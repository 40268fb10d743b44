import type { EventRaised, ExecutionStarted, HistoryEvent, IncomingEvent, RuntimeStatus } from "./history.ts";
import { isFinished } from "./history.ts";

/** Everything here is plain data: it goes to disk and comes back as it is. Times are milliseconds. */
export interface Orchestration {
  readonly kind: "orchestration";
  readonly id: string;
  readonly name: string;
  readonly version: string | null;
  readonly parent: Parent | null;
  readonly createdTime: number;
  /** One a generation: continueAsNew takes a new one, and answers to the old one are dropped. */
  executionId: string;
  status: RuntimeStatus;
  /** Input, output and custom status are JSON text. */
  input: string | null;
  output: string | null;
  customStatus: string | null;
  lastUpdatedTime: number;
  history: HistoryEvent[];
  inbox: InboxMessage[];
  nextMessage: number;
  /** Activities that were scheduled and have not answered, whatever generation asked for them. */
  tasks: Record<string, PendingTask>;
  timers: Record<string, PendingTimer>;
}

export interface Parent {
  readonly instanceId: string;
  readonly executionId: string;
  readonly taskId: number;
}

export interface InboxMessage {
  readonly n: number;
  readonly event: IncomingEvent;
  /** The generation it is an answer to; null where any will do. */
  readonly executionId: string | null;
}

export interface PendingTask {
  readonly taskId: number;
  readonly name: string;
  readonly input: string | null;
  readonly executionId: string;
}

export interface PendingTimer {
  readonly timerId: number;
  readonly fireAt: number;
  readonly executionId: string;
}

export interface Entity {
  readonly kind: "entity";
  /** `@name@key`, the name in lower case. */
  readonly id: string;
  readonly createdTime: number;
  exists: boolean;
  /** JSON text. */
  state: string | null;
  lockedBy: string | null;
  lastUpdatedTime: number;
  inbox: EntityMessage[];
  nextMessage: number;
}

export interface EntityMessage {
  readonly n: number;
  readonly request: EntityRequest;
}

export type EntityRequest =
  | {
      readonly kind: "op";
      readonly op: string;
      readonly input: string | null;
      readonly signal: boolean;
      readonly id: string;
      readonly parent: string | null;
      readonly parentExecution: string | null;
    }
  | {
      readonly kind: "lock";
      readonly id: string;
      readonly parent: string;
      readonly parentExecution: string;
      readonly lockset: readonly string[];
      readonly pos: number;
    }
  | { readonly kind: "release"; readonly parent: string };

export type Instance = Orchestration | Entity;

/** One step of the hub. A commit is a list of them that happens wholly or not at all. */
export type Change =
  | {
      readonly do: "create";
      readonly id: string;
      readonly executionId: string;
      readonly started: ExecutionStarted;
      readonly parent: Parent | null;
      readonly at: number;
    }
  | {
      readonly do: "post";
      readonly id: string;
      readonly event: IncomingEvent;
      readonly executionId: string | null;
    }
  | {
      readonly do: "episode";
      readonly id: string;
      /** The generation it belongs to. */
      readonly executionId: string;
      readonly took: readonly number[];
      readonly at: number;
      readonly events: readonly HistoryEvent[];
      readonly status: RuntimeStatus;
      readonly output: string | null;
      /** Undefined: as it was. */
      readonly customStatus?: string | null;
      readonly renew?: {
        readonly executionId: string;
        readonly started: ExecutionStarted;
        readonly carried: readonly EventRaised[];
      };
    }
  | { readonly do: "answer"; readonly id: string; readonly task: string; readonly event: IncomingEvent }
  | { readonly do: "fire"; readonly id: string; readonly timer: string; readonly event: IncomingEvent }
  | { readonly do: "ask"; readonly id: string; readonly request: EntityRequest; readonly at: number }
  | {
      readonly do: "entity";
      readonly id: string;
      readonly took: readonly number[];
      readonly at: number;
      readonly exists: boolean;
      readonly state: string | null;
      readonly lockedBy: string | null;
    }
  | { readonly do: "purge"; readonly id: string }
  /** Brings an instance back from the archive, whole, so that the journal can be read on its own. */
  | { readonly do: "revive"; readonly instance: Instance };

/** Nothing will happen to it unless somebody speaks to it: it can leave memory. */
export function isResting(instance: Instance): boolean {
  if (instance.inbox.length > 0) return false;
  if (instance.kind === "entity") return instance.lockedBy === null;
  return isFinished(instance.status) && Object.keys(instance.tasks).length === 0;
}

export function pendingKey(executionId: string, id: number): string {
  return `${executionId}/${id}`;
}
