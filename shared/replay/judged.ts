import type { Envelope } from "../envelope/envelope.ts";
import type { Failure } from "../ledgers/failures.ts";
import type { RequestPreview } from "../operations/operation.ts";
import type { Services } from "../services.ts";
import type { WorkItem } from "../work/work-item.ts";
import type { FieldChange } from "./request-diff.ts";
import type { ConfigChoice } from "./selector.ts";
import type { Verdict } from "./verdicts.ts";

/** What judging needs. It reads and never writes: a dry run is nothing but judging. */
export interface Judging {
  readonly services: Services;
  readonly tenantId: string;
  readonly config: ConfigChoice;
  readonly now: Date;
  /** Of events only the work of this route. */
  readonly routeName?: string;
  /** The replay that would do it; a dry run has none. */
  readonly replayId?: string;
  /** Whether a replay is still at work, so that what it has taken is its own. */
  readonly isRunning: (replayId: string) => Promise<boolean>;
}

export interface JudgedWork {
  /** As it would be done: by which configuration, and as which attempt. */
  readonly item: WorkItem;
  readonly verdict: Verdict;
  readonly detail?: string;
  /** What a real run does: the work, only the bookkeeping of what has happened already, or nothing. */
  readonly action: "execute" | "resolve" | "leave";
  readonly request?: RequestPreview;
  /** What differs from the request by the configuration it failed with. */
  readonly changes?: readonly FieldChange[];
  readonly done?: { readonly sideEffectRef: string; readonly at?: Date };
}

export interface Judged {
  readonly verdict: Verdict;
  readonly detail?: string;
  readonly works: readonly JudgedWork[];
  readonly failure?: Failure;
  /** The event it is about, without its data. */
  readonly event?: Envelope;
  /** How it would be done: each work by itself, or by publishing the event. */
  readonly by: "work" | "publishing";
  /** With its data, or the name of the blob that holds them; what would be published or was routed again. */
  readonly published?: Envelope;
}
