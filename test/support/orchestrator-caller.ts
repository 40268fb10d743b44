import type { OrchestratorState } from "../../local/host/durable/actions.ts";
import type { HistoryEvent } from "../../local/host/durable/history.ts";
import type { Orchestration } from "../../local/host/durable/instance.ts";
import { callOrchestrator } from "../../local/host/durable/orchestrator-call.ts";
import { hostedFunctions } from "../../local/host/functions.ts";
import { Invoker } from "../../local/host/invoker.ts";
import { createLog } from "../../local/host/log.ts";
import { loadApp } from "../../local/host/worker/load-app.ts";
import { fixtureApp } from "./fixture-app.ts";

type Call = (
  instance: Orchestration,
  history: readonly HistoryEvent[],
  newFrom: number,
) => Promise<OrchestratorState>;

/** Lets an app's orchestrators run over a history, the way an episode does, without anything that follows from it. */
export async function orchestratorCaller(appName: string): Promise<Call> {
  const app = await loadApp(fixtureApp(appName), () => {});
  const functions = hostedFunctions(app, process.env);
  const invoker = new Invoker({
    app,
    log: createLog({}, () => {}),
    timeoutMs: undefined,
    inputValue: () => ({}),
    sendOutputs: () => Promise.resolve(),
    onTimeout: () => {},
  });
  return (instance, history, newFrom) => {
    const fn = functions.find(({ name }) => name === instance.name);
    if (fn === undefined) throw new Error(`${appName} has no orchestrator '${instance.name}'`);
    return callOrchestrator(invoker, fn, instance, history, newFrom);
  };
}
