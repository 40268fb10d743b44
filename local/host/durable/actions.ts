/** What an orchestrator asks for, as the SDK reports it: everything since the generation began, without ids. */
export const actionType = {
  CallActivity: 0,
  CallActivityWithRetry: 1,
  CallSubOrchestrator: 2,
  CallSubOrchestratorWithRetry: 3,
  ContinueAsNew: 4,
  CreateTimer: 5,
  WaitForExternalEvent: 6,
  CallEntity: 7,
  CallHttp: 8,
  SignalEntity: 9,
  WhenAny: 11,
  WhenAll: 12,
  LockEntities: 13,
  ReleaseEntities: 14,
} as const;

type Types = typeof actionType;

export interface RetryPolicy {
  readonly firstRetryIntervalInMilliseconds: number;
  readonly maxNumberOfAttempts: number;
  readonly backoffCoefficient?: number;
  readonly maxRetryIntervalInMilliseconds?: number;
  readonly retryTimeoutInMilliseconds?: number;
}

export interface HttpCall {
  readonly method: string;
  readonly uri: string;
  readonly content?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly tokenSource?: unknown;
  readonly asynchronousPatternEnabled?: boolean;
}

export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
}

export type Action =
  | { readonly actionType: Types["CallActivity"]; readonly functionName: string; readonly input?: unknown }
  | {
      readonly actionType: Types["CallActivityWithRetry"];
      readonly functionName: string;
      readonly input?: unknown;
      readonly retryOptions: RetryPolicy;
    }
  | (SubOrchestratorCall & { readonly actionType: Types["CallSubOrchestrator"] })
  | (SubOrchestratorCall & {
      readonly actionType: Types["CallSubOrchestratorWithRetry"];
      readonly retryOptions: RetryPolicy;
    })
  | { readonly actionType: Types["ContinueAsNew"]; readonly input?: unknown }
  | { readonly actionType: Types["CreateTimer"]; readonly fireAt: string; readonly isCanceled: boolean }
  | { readonly actionType: Types["WaitForExternalEvent"]; readonly externalEventName: string }
  | (EntityCall & { readonly actionType: Types["CallEntity"] })
  | (EntityCall & { readonly actionType: Types["SignalEntity"] })
  | { readonly actionType: Types["CallHttp"]; readonly httpRequest: HttpCall }
  | { readonly actionType: Types["WhenAny"]; readonly compoundActions: readonly Action[] }
  | { readonly actionType: Types["WhenAll"]; readonly compoundActions: readonly Action[] }
  | {
      readonly actionType: Types["LockEntities"];
      readonly lockSet: readonly { readonly name: string; readonly key: string }[];
      readonly lockRequestId: string;
    }
  | { readonly actionType: Types["ReleaseEntities"] };

export interface SubOrchestratorCall {
  readonly functionName: string;
  readonly instanceId?: string;
  readonly input?: unknown;
  readonly version?: string;
}

interface EntityCall {
  /** `@name@key` */
  readonly instanceId: string;
  readonly operation: string;
  readonly input?: unknown;
}

/** What the orchestrator function gave back for one episode. */
export interface OrchestratorState {
  readonly isDone: boolean;
  readonly actions: readonly (readonly Action[])[];
  readonly output?: unknown;
  readonly customStatus?: unknown;
  readonly error?: string;
}

export function retryDelay(policy: RetryPolicy, attempt: number): number {
  const delay = policy.firstRetryIntervalInMilliseconds * (policy.backoffCoefficient ?? 1) ** (attempt - 1);
  return Math.min(delay, policy.maxRetryIntervalInMilliseconds ?? Infinity);
}

/** The SDK hands over activity inputs that are strings as JSON text already, everything else as a value. */
export function encodedInput(input: unknown): string | null {
  if (input === undefined || input === null) return null;
  return typeof input === "string" ? input : JSON.stringify(input);
}

export function rawInput(input: unknown): string | null {
  return input === undefined ? null : JSON.stringify(input);
}
