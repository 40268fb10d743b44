import { isOn, resolvePercent, type Settings } from "./config/settings.ts";
import { StartError } from "../start-error.ts";
import type { AppRegistry, Binding, RegisteredFunction } from "./worker/app-registry.ts";

export const triggerTypes = [
  "httpTrigger",
  "timerTrigger",
  "serviceBusTrigger",
  "orchestrationTrigger",
  "activityTrigger",
  "entityTrigger",
] as const;
export type TriggerType = (typeof triggerTypes)[number];

const inputTypes: readonly string[] = ["durableClient"];
const outputTypes: readonly string[] = ["http", "serviceBus"];

/** One function of the app, with its trigger found and its settings filled in. */
export interface HostedFunction extends RegisteredFunction {
  readonly name: string;
  readonly trigger: Binding;
  /** The name under which the worker expects the trigger's data. */
  readonly triggerKey: string;
  readonly triggerType: TriggerType;
  readonly inputs: readonly { readonly key: string; readonly binding: Binding }[];
  readonly outputs: readonly { readonly key: string; readonly binding: Binding }[];
  readonly disabled: boolean;
}

/** Options in which the platform resolves `%SETTING%`. */
const resolvable = ["route", "schedule", "queueName", "topicName", "subscriptionName"];

export function hostedFunctions(app: AppRegistry, settings: Settings): HostedFunction[] {
  return [...app.functions.values()].map((registered) => hosted(registered, settings));
}

function hosted({ metadata, callback }: RegisteredFunction, settings: Settings): HostedFunction {
  const { name } = metadata;
  const bindings = Object.entries(metadata.bindings).map(([key, binding]) => ({
    key,
    binding: resolved(name, binding, settings),
  }));
  const trigger = bindings.find(({ binding }) => /trigger$/i.test(binding.type));
  if (trigger === undefined) throw new StartError(`Function '${name}' has no trigger`);
  const triggerType = triggerTypes.find((type) => type.toLowerCase() === trigger.binding.type.toLowerCase());
  if (triggerType === undefined) {
    throw unsupported(name, "trigger", trigger.binding.type, triggerTypes);
  }
  const rest = bindings.filter((candidate) => candidate !== trigger);
  const inputs = rest.filter(({ binding }) => binding.direction === "in");
  const outputs = rest.filter(({ binding }) => binding.direction === "out");
  for (const { binding } of inputs) {
    if (!inputTypes.includes(binding.type)) throw unsupported(name, "input", binding.type, inputTypes);
  }
  for (const { binding } of outputs) {
    if (!outputTypes.includes(binding.type)) throw unsupported(name, "output", binding.type, outputTypes);
  }
  return {
    name,
    metadata,
    callback,
    trigger: trigger.binding,
    triggerKey: trigger.key,
    triggerType,
    inputs,
    outputs,
    disabled:
      isOn(settings[`AzureWebJobs.${name}.Disabled`]) || isOn(settings[`AzureWebJobs_${name}_Disabled`]),
  };
}

function resolved(name: string, binding: Binding, settings: Settings): Binding {
  const changed: Record<string, unknown> = {};
  for (const option of resolvable) {
    const value = binding[option];
    if (typeof value === "string" && value.includes("%")) {
      changed[option] = resolvePercent(value, settings, `Function '${name}': ${option}`);
    }
  }
  return { ...binding, ...changed };
}

function unsupported(name: string, kind: string, type: string, known: readonly string[]): StartError {
  return new StartError(
    `Function '${name}' uses the ${kind} '${type}', which this host does not run (it runs ${known.join(", ")})`,
  );
}
