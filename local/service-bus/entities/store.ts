import type { QueuedMessage } from "./queued-message.ts";
import type {
  QueueDescription,
  RuleDescription,
  SubscriptionDescription,
  TopicDescription,
} from "./settings.ts";

/** An entity that was created at run time; those of the configuration file need not be remembered. */
export type CreatedEntity =
  | { readonly kind: "queue"; readonly description: QueueDescription }
  | { readonly kind: "topic"; readonly description: TopicDescription }
  | { readonly kind: "subscription"; readonly topic: string; readonly description: SubscriptionDescription };

/**
 * Where entities write what must survive the process. Everything is recorded first and committed in groups; nobody
 * outside may be told of a change before `commit` has called back.
 */
export interface Store {
  /** A message arrived, or its content changed. */
  put(queue: string, message: QueuedMessage): void;
  /** Its delivery count or state changed. */
  recount(queue: string, message: QueuedMessage): void;
  remove(queue: string, message: QueuedMessage): void;
  remember(queue: string, messageId: string, at: number): void;
  saveSessionState(queue: string, session: string, state: Buffer | undefined): void;
  /** The rules of a subscription changed at run time; `configured` is what the configuration gave it. */
  saveRules(
    subscription: string,
    configured: readonly RuleDescription[],
    rules: readonly RuleDescription[],
  ): void;
  saveEntity(path: string, entity: CreatedEntity): void;
  /** The entity of this path is gone, with everything below it. */
  dropEntity(path: string): void;
  commit(done: () => void): void;
  /** Commits now; false when the medium refuses. */
  flush(): boolean;
  close(): void;
}
