import { randomUUID } from "node:crypto";

import type { HostedFunction } from "./functions.ts";
import type { HostLog, Level } from "./log.ts";
import { messageOf, stackOf } from "../start-error.ts";
import type { AppRegistry, CoreInvocationContext } from "./worker/app-registry.ts";
import type { InvocationResponse, RetryContext, TraceContext, TypedData } from "./worker/typed-data.ts";

export interface Invocation {
  readonly id?: string;
  /** Why it runs, in the words of the log. */
  readonly reason: string;
  readonly data: TypedData;
  readonly triggerMetadata?: Readonly<Record<string, TypedData>>;
  readonly traceContext?: TraceContext;
  readonly retryContext?: RetryContext;
  /** What the log says of a failure; its stack otherwise. */
  readonly describeError?: (error: unknown) => string;
}

export type InvocationResult =
  | { readonly kind: "succeeded"; readonly id: string; readonly response: InvocationResponse }
  | { readonly kind: "failed"; readonly id: string; readonly error: unknown; readonly timedOut: boolean };

interface InvokerOptions {
  readonly app: AppRegistry;
  readonly log: HostLog;
  readonly timeoutMs: number | undefined;
  /** The value of an input binding that is not the trigger. */
  inputValue(type: string): TypedData;
  /** Carries out output bindings once the handler has succeeded; a failure fails the invocation. */
  sendOutputs(fn: HostedFunction, response: InvocationResponse): Promise<void>;
  /** The handler may still be running: whoever owns the process decides what to do about it. */
  onTimeout(fn: HostedFunction): void;
}

/** Runs functions of the app, one call a time, the way the platform's worker does, and knows what is under way. */
export class Invoker {
  readonly #options: InvokerOptions;
  readonly #running = new Set<string>();
  #idle: (() => void)[] = [];

  constructor(options: InvokerOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Resolves when no function runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async invoke(fn: HostedFunction, invocation: Invocation): Promise<InvocationResult> {
    const id = invocation.id ?? randomUUID();
    const { log } = this.#options;
    const category = `Function.${fn.name}`;
    const started = performance.now();
    this.#running.add(id);
    if (log.enabled("Information", category)) {
      log.write(
        "Information",
        category,
        `Executing 'Functions.${fn.name}' (Reason='${invocation.reason}', Id=${id})`,
        id,
      );
    }
    try {
      const response = await this.#limited(fn, this.#run(fn, invocation, id));
      if (log.enabled("Information", category)) {
        const took = Math.round(performance.now() - started);
        log.write(
          "Information",
          category,
          `Executed 'Functions.${fn.name}' (Succeeded, Id=${id}, Duration=${took}ms)`,
          id,
        );
      }
      return { kind: "succeeded", id, response };
    } catch (error) {
      const took = Math.round(performance.now() - started);
      const timedOut = error instanceof FunctionTimeout;
      log.write(
        "Error",
        category,
        `Executed 'Functions.${fn.name}' (Failed, Id=${id}, Duration=${took}ms): ${(invocation.describeError ?? describe)(error)}`,
        id,
      );
      if (timedOut) this.#options.onTimeout(fn);
      return { kind: "failed", id, error, timedOut };
    } finally {
      this.#running.delete(id);
      if (this.#running.size === 0) for (const wake of this.#idle.splice(0)) wake();
    }
  }

  async #limited(fn: HostedFunction, work: Promise<InvocationResponse>): Promise<InvocationResponse> {
    const { timeoutMs } = this.#options;
    if (timeoutMs === undefined || timeoutMs > 2 ** 31 - 1) return work;
    let handle: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      handle = setTimeout(() => reject(new FunctionTimeout(fn.name, timeoutMs)), timeoutMs);
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      clearTimeout(handle);
    }
  }

  async #run(fn: HostedFunction, invocation: Invocation, invocationId: string): Promise<InvocationResponse> {
    const { app } = this.#options;
    if (app.model === undefined) throw new Error("The app registered no programming model");
    const hookData = {};
    let invocationContext: unknown;
    const core: CoreInvocationContext = {
      invocationId,
      request: {
        invocationId,
        functionId: fn.name,
        inputData: [
          { name: fn.triggerKey, data: invocation.data },
          ...fn.inputs.map(({ key, binding }) => ({
            name: key,
            data: this.#options.inputValue(binding.type),
          })),
        ],
        triggerMetadata: invocation.triggerMetadata ?? {},
        ...(invocation.traceContext && { traceContext: invocation.traceContext }),
        ...(invocation.retryContext && { retryContext: invocation.retryContext }),
      },
      metadata: fn.metadata,
      state: undefined,
      log: (level, category, message) => {
        const line = { level, category, message, invocationContext, hookData, appHookData: app.appHookData };
        for (const hook of app.hooks.log) hook(line);
        const suffix = line.category === "user" ? ".User" : "";
        this.#options.log.write(
          toLevel(line.level),
          `Function.${fn.name}${suffix}`,
          line.message,
          invocationId,
        );
      },
    };
    const model = await app.model.getInvocationModel(core);
    const argumentsOf = await model.getArguments();
    invocationContext = argumentsOf.context;
    const shared = { hookData, appHookData: app.appHookData, invocationContext };

    core.state = "preInvocationHooks";
    const pre = { ...shared, inputs: argumentsOf.inputs, functionCallback: fn.callback };
    for (const hook of app.hooks.preInvocation) await hook(pre);

    core.state = "invocation";
    const post: { result: unknown; error: unknown } & Record<string, unknown> = {
      ...shared,
      inputs: pre.inputs,
      result: undefined,
      error: undefined,
    };
    try {
      post.result = await model.invokeFunction(invocationContext, pre.inputs, pre.functionCallback);
    } catch (error) {
      post.error = error ?? new Error("The function threw nothing");
    }

    core.state = "postInvocationHooks";
    for (const hook of app.hooks.postInvocation) await hook(post);
    if (post.error !== undefined && post.error !== null) throw asError(post.error);
    const response = await model.getResponse(invocationContext, post.result);
    if (fn.outputs.length > 0) await this.#options.sendOutputs(fn, response);
    return response;
  }
}

export class FunctionTimeout extends Error {
  override readonly name = "FunctionTimeout";
  constructor(functionName: string, timeoutMs: number) {
    super(`Timeout value of ${timeoutMs / 1000} s exceeded by function '${functionName}'`);
  }
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
}

function describe(error: unknown): string {
  return error instanceof FunctionTimeout ? error.message : stackOf(error);
}

const levelNames: Readonly<Record<string, Level>> = {
  trace: "Trace",
  debug: "Debug",
  information: "Information",
  warning: "Warning",
  error: "Error",
  critical: "Critical",
  none: "None",
};

function toLevel(level: string): Level {
  return levelNames[level] ?? "Information";
}
