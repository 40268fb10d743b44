import { systemClock } from "../../local/clock.ts";
import type { HostContext } from "../../local/host/host-context.ts";
import { Invoker } from "../../local/host/invoker.ts";
import { createLog } from "../../local/host/log.ts";
import { AppRegistry, type ProgrammingModel } from "../../local/host/worker/app-registry.ts";
import type { HttpData } from "../../local/host/worker/typed-data.ts";
import { hostedFunction } from "./hosted-function.ts";

type Handler = () => Promise<HttpData>;

/** A host's context with HTTP functions that need no app and no library: each answers what its handler does. */
export function stubContext(handlers: Readonly<Record<string, Handler>>): HostContext {
  const app = new AppRegistry();
  const model: ProgrammingModel = {
    name: "stub",
    version: "1.0.0",
    getCapabilities: (defaults) => defaults,
    getInvocationModel: ({ metadata }) => ({
      getArguments: () => Promise.resolve({ context: {}, inputs: [] }),
      invokeFunction: () => handlers[metadata.name]?.() ?? Promise.reject(new Error("no handler")),
      getResponse: (_, result) => Promise.resolve({ returnValue: { http: result as HttpData } }),
    }),
  };
  app.model = model;
  const log = createLog({}, () => {});
  const invoker = new Invoker({
    app,
    log,
    timeoutMs: undefined,
    inputValue: () => ({}),
    sendOutputs: () => Promise.resolve(),
    onTimeout: () => {},
  });
  return {
    functions: Object.keys(handlers).map((name) => hostedFunction(name)),
    invoker,
    log,
    clock: systemClock,
    settings: {},
    hostSettings: {
      logLevels: {},
      functionTimeoutMs: undefined,
      http: { routePrefix: "" },
      serviceBus: {
        maxConcurrentCalls: 1,
        maxConcurrentSessions: 1,
        maxMessageBatchSize: 1,
        maxAutoLockRenewalDurationMs: 0,
        sessionIdleTimeoutMs: 0,
        autoCompleteMessages: true,
      },
      durable: {
        hubName: "Stub",
        maxConcurrentActivityFunctions: 1,
        maxConcurrentOrchestratorFunctions: 1,
        maxConcurrentEntityFunctions: 1,
        defaultVersion: undefined,
      },
    },
    dataDir: undefined,
  };
}
