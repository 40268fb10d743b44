import type { Answer } from "../api/answer.ts";
import type { AuditRule } from "../api/endpoint.ts";
import { nameFailure } from "../api/unavailable.ts";
import type { Caller } from "../access/caller.ts";
import { Fault } from "../faults.ts";
import type { AuditRecord } from "./entry.ts";
import { redact } from "../outbound/redact.ts";
import type { AuditTrail } from "./trail.ts";

export interface Change {
  readonly caller: Caller;
  readonly correlationId: string;
  readonly now: () => Date;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Told when the outcome could not be recorded: the intent was, and the change stands. */
  readonly warn: (line: string) => void;
}

const maxDetails = 8_000;

/**
 * Makes a change leave its traces:
 *
 *   intent ──► the change ──► done | failed
 *
 * Without an intent in the chain nothing is changed: the caller is told to try again. When the outcome cannot be
 * written, the intent still says who did what, and the answer is the change's own.
 */
export async function audited(
  trail: AuditTrail,
  rule: AuditRule,
  change: Change,
  make: () => Promise<Answer>,
): Promise<Answer> {
  const { caller, warn } = change;
  const intent = recordOf(rule, change, "intent", picked(change.body, rule.details ?? []), {});
  await trail.append(caller.tenantId, intent).catch((error: unknown) => {
    throw new Fault("unavailable", "The audit cannot be written, so nothing was changed.", { cause: error });
  });
  const close = (record: AuditRecord): Promise<void> =>
    trail.append(caller.tenantId, record).catch((error: unknown) => {
      warn(`The outcome of ${record.action} is not in the audit: ${String(error)}`);
    });
  try {
    const answer = await make();
    await close(recordOf(rule, change, "done", answer.audit ?? {}, answer.body));
    return answer;
  } catch (error) {
    await close(recordOf(rule, change, "failed", { fault: nameFailure(error).code }, {}));
    throw error;
  }
}

function recordOf(
  { action, target }: AuditRule,
  { caller, correlationId, now, params }: Change,
  phase: AuditRecord["phase"],
  details: object,
  made: unknown,
): AuditRecord {
  const values = { ...(isObject(made) ? made : {}), ...params };
  return {
    at: now(),
    actor: caller.keyId,
    role: caller.role,
    action,
    target: target.replaceAll(/\{(\w+)\}/g, (_, name: string) => textOf(values, name)),
    phase,
    correlationId,
    details: textOfDetails(details),
  };
}

/** What is made by the call has no id before. */
function textOf(values: Readonly<Record<string, unknown>>, name: string): string {
  const value = values[name];
  return typeof value === "string" ? value : "new";
}

function textOfDetails(details: object): string {
  const text = JSON.stringify(redact(details));
  return text.length <= maxDetails ? text : JSON.stringify({ tooLong: text.length });
}

function picked(body: unknown, names: readonly string[]): object {
  if (!isObject(body)) return {};
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]]),
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
