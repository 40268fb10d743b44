import type { InvocationRequest, InvocationResponse } from "./typed-data.ts";

/** A binding as the app registered it; what else it holds depends on its type. */
export interface Binding {
  readonly type: string;
  readonly name: string;
  readonly direction: "in" | "out";
  readonly [option: string]: unknown;
}

export interface FunctionMetadata {
  readonly name: string;
  readonly functionId?: string;
  /** By binding name; the output that is the return value stands under `$return`. */
  readonly bindings: Readonly<Record<string, Binding>>;
  readonly retryOptions?: RetryOptions;
}

export interface RetryOptions {
  readonly retryStrategy: "fixedDelay" | "exponentialBackoff";
  readonly maxRetryCount: number;
  readonly delayInterval?: { readonly seconds: number };
  readonly minimumInterval?: { readonly seconds: number };
  readonly maximumInterval?: { readonly seconds: number };
}

export type FunctionCallback = (...inputs: unknown[]) => unknown;
export type HookCallback = (context: Record<string, unknown>) => unknown;

export const hookNames = ["preInvocation", "postInvocation", "appStart", "appTerminate", "log"] as const;
export type HookName = (typeof hookNames)[number];

/** The part of `@azure/functions` that turns messages of the host into calls of handlers and back. */
export interface ProgrammingModel {
  readonly name: string;
  readonly version: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel | Promise<InvocationModel>;
  getCapabilities(
    defaults: Record<string, string>,
  ): Record<string, string | undefined> | Promise<Record<string, string | undefined>>;
}

export interface CoreInvocationContext {
  readonly invocationId: string;
  readonly request: InvocationRequest;
  readonly metadata: FunctionMetadata;
  state: "preInvocationHooks" | "invocation" | "postInvocationHooks" | undefined;
  log(level: string, category: string, message: string): void;
}

export interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<InvocationResponse>;
}

export interface RegisteredFunction {
  readonly metadata: FunctionMetadata;
  readonly callback: FunctionCallback;
}

/** Everything one app registered while it was loaded. */
export class AppRegistry {
  readonly functions = new Map<string, RegisteredFunction>();
  readonly hooks: Record<HookName, HookCallback[]> = {
    preInvocation: [],
    postInvocation: [],
    appStart: [],
    appTerminate: [],
    log: [],
  };
  /** Shared by all hooks of the app, as the worker's documentation promises. */
  readonly appHookData: Record<string, unknown> = {};
  readonly appLevelHookData: Record<string, unknown> = {};
  model: ProgrammingModel | undefined;
  capabilities: Record<string, string | undefined> | undefined;
  locked = false;
}
