import { formatTimeSpan } from "./config/json-file.ts";
import type { HostedFunction, TriggerType } from "./functions.ts";
import type { HostContext } from "./host-context.ts";
import type { Invocation, InvocationResult } from "./invoker.ts";
import { messageOf, stackOf } from "../start-error.ts";
import type { RetryOptions } from "./worker/app-registry.ts";
import type { RetryContext } from "./worker/typed-data.ts";

/** Triggers whose retries are somebody else's: the caller's, or the queue's delivery count. */
const withoutRetries: readonly TriggerType[] = ["httpTrigger", "serviceBusTrigger"];

/**
 * Calls a function and, under its retry policy, calls it again until it succeeds, the policy is used up or
 * `signal` stops it. The answer is that of the last call.
 */
export async function invokeWithRetry(
  context: HostContext,
  fn: HostedFunction,
  invocation: Invocation,
  signal: AbortSignal,
): Promise<InvocationResult> {
  const policy = fn.metadata.retryOptions;
  let result = await context.invoker.invoke(fn, invocation);
  if (policy === undefined) return result;
  for (let attempt = 1; result.kind === "failed" && mayRetry(policy, attempt); attempt++) {
    const delayMs = retryDelayMs(policy, attempt);
    context.log.write(
      "Information",
      `Function.${fn.name}`,
      `Waiting for '${formatTimeSpan(delayMs)}' before retrying function execution. Next attempt: '${attempt}'. Max retry count: '${policy.maxRetryCount}'`,
    );
    if (!(await waited(context, delayMs, signal))) return result;
    const retryContext = retryContextOf(policy, attempt, result.error);
    result = await context.invoker.invoke(fn, { ...invocation, retryContext });
  }
  return result;
}

/** Says once, at the start, which policies will never take effect. */
export function warnIgnoredRetries({ functions, log }: Pick<HostContext, "functions" | "log">): void {
  for (const { name, triggerType, metadata } of functions) {
    if (metadata.retryOptions === undefined || !withoutRetries.includes(triggerType)) continue;
    log.write(
      "Warning",
      "Host.Startup",
      `Function '${name}' has a retry policy, which the platform ignores for ${triggerType}: remove it`,
    );
  }
}

/**
 * How long to wait before the given attempt (the first retry is 1). Backing off starts at the least delay and
 * adds to it twice as much each time, a fifth more or less, so that failing functions do not retry in step.
 */
export function retryDelayMs(
  policy: RetryOptions,
  attempt: number,
  random: () => number = Math.random,
): number {
  if (policy.retryStrategy === "fixedDelay") return (policy.delayInterval?.seconds ?? 0) * 1000;
  const leastMs = (policy.minimumInterval?.seconds ?? 0) * 1000;
  const mostMs = (policy.maximumInterval?.seconds ?? Number.POSITIVE_INFINITY) * 1000;
  const added = attempt === 1 ? 0 : (0.8 + 0.4 * random()) * 2 ** (attempt - 2) * leastMs;
  return Math.round(Math.min(leastMs + added, mostMs));
}

function mayRetry({ maxRetryCount }: RetryOptions, attempt: number): boolean {
  return maxRetryCount === -1 || attempt <= maxRetryCount;
}

function retryContextOf({ maxRetryCount }: RetryOptions, retryCount: number, error: unknown): RetryContext {
  const exception = { source: "", stackTrace: stackOf(error), message: messageOf(error) };
  return { retryCount, maxRetryCount, exception };
}

/** False when `signal` cut the wait short. */
function waited({ clock }: HostContext, delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const stop = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.at(clock.now() + delayMs, () => {
      signal.removeEventListener("abort", stop);
      resolve(true);
    });
    signal.addEventListener("abort", stop, { once: true });
  });
}
