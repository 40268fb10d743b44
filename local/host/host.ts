import { realpathSync } from "node:fs";
import { join } from "node:path";

import { type Clock, ManualClock, systemClock } from "../clock.ts";
import { readHostJson } from "./config/host-json.ts";
import { applySettings, readLocalSettings } from "./config/settings.ts";
import { Durable } from "./durable/durable.ts";
import type { Instance } from "./durable/instance.ts";
import type { JournalOptions } from "./durable/journal.ts";
import { Leadership } from "./durable/leadership.ts";
import { type HostedFunction, hostedFunctions } from "./functions.ts";
import type { HostContext } from "./host-context.ts";
import { createHttpServer } from "./http/server.ts";
import { Invoker } from "./invoker.ts";
import { createLog, type Level, type LogSink } from "./log.ts";
import { warnIgnoredRetries } from "./retry.ts";
import { createServiceBusListener } from "./service-bus/listener.ts";
import { createServiceBusOutputs, type ServiceBusOutputs } from "./service-bus/outputs.ts";
import { StartError } from "../start-error.ts";
import { createTimerListener } from "./timer/listener.ts";
import { loadApp, runAppHooks } from "./worker/load-app.ts";
import type { InvocationResponse } from "./worker/typed-data.ts";

export interface HostOptions {
  /** The folder of the app: package.json, host.json, local.settings.json. */
  readonly scriptRoot: string;
  /** 0 for any free one; otherwise local.settings.json's, otherwise 7071. */
  readonly port?: number;
  readonly address?: string;
  /** Where the task hub and the timers' last runs are kept; without it they end with the process. */
  readonly dataDir?: string;
  /** Settings on top of local.settings.json and below the environment. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly log?: LogSink;
  /** Overrides host.json's `logging.logLevel.default`. */
  readonly logLevel?: Level;
  readonly hub?: JournalOptions;
  /** A function ran out of its time; it cannot be stopped, so the process had better be replaced. */
  readonly onTimeout?: (functionName: string) => void;
  /** The task hub cannot be written any more: the process must end. */
  readonly onFatal?: (error: unknown) => void;
}

export interface Host {
  readonly url: string;
  readonly functions: readonly HostedFunction[];
  readonly durable: Durable;
  routes(): { readonly name: string; readonly methods: readonly string[]; readonly url: string }[];
  /** Resolves when this host leads those that share its data folder; at once when it is alone. */
  readonly leading: Promise<void>;
  /** Runs a timer or bus function by hand. */
  fire(functionName: string, input?: string): Promise<void>;
  /** Resolves with the orchestration or entity once it is as wanted. */
  waitFor(id: string, wanted: (instance: Instance | undefined) => boolean): Promise<Instance | undefined>;
  /** Resolves when no function runs and nothing durable moves. */
  idle(): Promise<void>;
  /** Moves a `ManualClock` on, letting everything that falls due happen in its order. */
  advance(milliseconds: number): Promise<void>;
  /** Takes nothing new on, lets what runs end, and lets go of everything. */
  stop(): Promise<void>;
}

const defaultPort = 7071;

/** Runs a Functions app, the way the platform does, in this process. */
export async function createHost(options: HostOptions): Promise<Host> {
  const scriptRoot = rootOf(options.scriptRoot);
  const hostSettings = readHostJson(scriptRoot);
  const local = readLocalSettings(scriptRoot);
  const restoreSettings = applySettings({ ...local.values, ...options.settings });
  const undo: (() => Promise<void> | void)[] = [restoreSettings];
  const clock = options.clock ?? systemClock;
  const levels = options.logLevel === undefined ? {} : { default: options.logLevel };
  const log = createLog({ ...hostSettings.logLevels, ...levels }, options.log ?? (() => {}));
  try {
    const app = await loadApp(scriptRoot, (level, category, message) => {
      log.write(level === "error" ? "Error" : "Debug", `Worker.${category}`, message);
    });
    const functions = hostedFunctions(app, process.env);
    const invoker: Invoker = new Invoker({
      app,
      log,
      timeoutMs: hostSettings.functionTimeoutMs,
      inputValue: () => durable.clientBinding(),
      sendOutputs: (fn, response) => sendOutputs(outputs, fn, response),
      onTimeout: (fn) => options.onTimeout?.(fn.name),
    });
    const context: HostContext = {
      functions,
      invoker,
      log,
      clock,
      settings: process.env,
      hostSettings,
      dataDir: options.dataDir,
    };
    const onFatal = options.onFatal ?? ((error) => log.write("Critical", "Host.Durable", String(error)));
    const durable = new Durable(context, { ...options.hub, onFatal });
    const outputs = createServiceBusOutputs(context);
    const timers = createTimerListener(context);
    const bus = createServiceBusListener(context);
    warnIgnoredRetries(context);
    let leads = false;
    const fire = (fn: HostedFunction, input?: string): Promise<void> =>
      fireByHand(context, timers, fn, input);
    const server = await createHttpServer(context, {
      port: options.port ?? local.localHttpPort ?? defaultPort,
      ...(options.address !== undefined && { host: options.address }),
      mounts: durable.mounts,
      capabilities: app.capabilities ?? {},
      fire,
      status: () => ({ leads, residentBytes: process.memoryUsage().rss }),
    });
    undo.push(() => server.stop());
    const restoreHostname = applySettings({ WEBSITE_HOSTNAME: `localhost:${server.port}` });
    undo.push(restoreHostname);

    const leadership =
      options.dataDir === undefined ? undefined : new Leadership(join(options.dataDir, "hub"), server.url);
    undo.push(() => leadership?.stop());
    durable.announce(server.url, () => leadership?.leaderUrl);
    const takeLead = async (): Promise<void> => {
      await durable.lead();
      leads = true;
      await timers.start();
    };
    const { ready, leading } = beginLeading(leadership, takeLead, (leader) => {
      log.write("Information", "Host.Leadership", `The host at ${leader} leads; this one stands by`);
    });
    leading.catch(() => {});
    undo.push(() => durable.stop());
    await ready;
    await bus.start();

    return {
      url: server.url,
      functions,
      durable,
      leading,
      routes: () => server.routes(),
      async fire(name, input) {
        const fn = functions.find((candidate) => candidate.name === name);
        if (fn === undefined) throw new Error(`The app has no function '${name}'`);
        await fire(fn, input);
      },
      waitFor: (id, wanted) => durable.waitFor(id, wanted),
      idle: () => settle(invoker, durable),
      async advance(milliseconds) {
        if (!(clock instanceof ManualClock)) throw new Error("Only a ManualClock can be moved");
        await clock.advanceSettling(milliseconds, () => settle(invoker, durable));
      },
      async stop() {
        await Promise.all([timers.stop(), bus.stop()]);
        await server.stop();
        await durable.stop();
        leadership?.stop();
        await outputs.close();
        await runAppHooks(app, "appTerminate", scriptRoot);
        restoreHostname();
        restoreSettings();
      },
    };
  } catch (error) {
    for (const step of undo.toReversed()) await step();
    throw error;
  }
}

function rootOf(scriptRoot: string): string {
  try {
    return realpathSync(scriptRoot);
  } catch {
    throw new StartError(
      `There is no folder ${scriptRoot}: point --script-root at the folder of a Functions app`,
    );
  }
}

/** A host is ready when it leads, or when it knows who does. */
function beginLeading(
  leadership: Leadership | undefined,
  takeLead: () => Promise<void>,
  onFollow: (leaderUrl: string) => void,
): { ready: Promise<void>; leading: Promise<void> } {
  if (leadership === undefined) {
    const leading = takeLead();
    return { ready: leading, leading };
  }
  let followed = (): void => {};
  const follows = new Promise<void>((resolve) => {
    followed = resolve;
  });
  const leading = leadership
    .lead((leaderUrl) => {
      onFollow(leaderUrl);
      followed();
    })
    .then(async (leads) => {
      if (leads) await takeLead();
    });
  return { ready: Promise.race([leading, follows]), leading };
}

async function sendOutputs(
  outputs: ServiceBusOutputs,
  fn: HostedFunction,
  { returnValue, outputData }: InvocationResponse,
): Promise<void> {
  for (const { key, binding } of fn.outputs) {
    if (binding.type !== "serviceBus") continue;
    const data = key === "$return" ? returnValue : outputData?.find(({ name }) => name === key)?.data;
    if (data !== undefined && data !== null) await outputs.send(binding, data);
  }
}

/** Functions set off durable work and durable work runs functions, so both are looked at until neither moves. */
async function settle(invoker: Invoker, durable: Durable): Promise<void> {
  do {
    await invoker.idle();
    await durable.idle();
    await new Promise(setImmediate);
  } while (invoker.running > 0);
}

async function fireByHand(
  { invoker }: HostContext,
  timers: ReturnType<typeof createTimerListener>,
  fn: HostedFunction,
  input: string | undefined,
): Promise<void> {
  if (fn.triggerType === "timerTrigger") return timers.fire(fn);
  if (fn.triggerType !== "serviceBusTrigger") {
    throw new StartError(
      `'${fn.name}' is neither a timer nor a bus function: call it through its own trigger`,
    );
  }
  const reason = "This function was programmatically called via the host APIs.";
  await invoker.invoke(fn, { reason, data: { string: input ?? "" } });
}
