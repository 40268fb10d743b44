import type { HostedFunction, TriggerType } from "../../local/host/functions.ts";
import type { RetryOptions } from "../../local/host/worker/app-registry.ts";

interface Description {
  readonly trigger?: Readonly<Record<string, unknown>>;
  readonly triggerType?: TriggerType;
  readonly disabled?: boolean;
  readonly retryOptions?: RetryOptions;
}

/** A function as the host sees it after loading an app; `trigger` holds what its binding says beyond its type. */
export function hostedFunction(name: string, description: Description = {}): HostedFunction {
  const { triggerType = "httpTrigger", disabled = false, retryOptions } = description;
  const trigger = { ...description.trigger, type: triggerType, name: "input", direction: "in" } as const;
  return {
    name,
    metadata: { name, bindings: { input: trigger }, ...(retryOptions && { retryOptions }) },
    callback: () => undefined,
    trigger,
    triggerKey: "input",
    triggerType,
    inputs: [],
    outputs: [],
    disabled,
  };
}
