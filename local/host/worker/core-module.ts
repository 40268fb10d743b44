import Module from "node:module";

import {
  AppRegistry,
  type FunctionCallback,
  type FunctionMetadata,
  type HookCallback,
} from "./app-registry.ts";
import { hookNames, type HookName, type ProgrammingModel } from "./app-registry.ts";

/**
 * `@azure/functions` asks for `@azure/functions-core`, a module that exists nowhere on disk: on the platform the
 * Node worker supplies it by intercepting `require`, and so does this host.
 *
 * The library keeps the first core module it saw for the life of the process, so there is one, and it
 * hands on to whichever app is being loaded.
 */
interface Core {
  current: AppRegistry;
  /** Registered once for each copy of the library, however many apps use it. */
  model: ProgrammingModel | undefined;
  log: (level: string, category: string, message: string) => void;
}

const key = Symbol.for("interlock.functions-core");
const coreModuleName = "@azure/functions-core";

/** The release of the platform's host whose behaviour this one follows. */
export const hostVersion = "4.1037.0";

function install(): Core {
  const held = globalThis as { [key]?: Core };
  if (held[key] !== undefined) return held[key];
  const core: Core = { current: new AppRegistry(), model: undefined, log: () => {} };
  const api = coreApi(core);
  const prototype = Module.prototype as unknown as { require: (this: unknown, id: string) => unknown };
  const original = prototype.require;
  prototype.require = function (id) {
    return id === coreModuleName ? api : original.call(this, id);
  };
  held[key] = core;
  return core;
}

/** Runs `load`, and answers with what it registered. */
export async function collectRegistrations(
  load: () => Promise<void>,
  log: Core["log"],
): Promise<AppRegistry> {
  const core = install();
  const app = new AppRegistry();
  core.current = app;
  core.log = log;
  await load();
  app.model ??= core.model;
  return app;
}

class Disposable {
  readonly #dispose: () => void;
  constructor(dispose: () => void) {
    this.#dispose = dispose;
  }
  dispose(): void {
    this.#dispose();
  }
}

function coreApi(core: Core): Record<string, unknown> {
  return {
    version: "3.10.0",
    hostVersion,
    Disposable,
    setProgrammingModel(model: ProgrammingModel): void {
      core.model = model;
      core.current.model = model;
    },
    getProgrammingModel: () => core.current.model,
    registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
      const app = core.current;
      const id = metadata.functionId ?? metadata.name;
      if (app.locked) throw new Error("A function can only be registered during app startup.");
      if (app.functions.has(id)) throw new Error(`A function with id "${id}" has already been registered.`);
      app.functions.set(id, { metadata, callback });
      return new Disposable(() => app.functions.delete(id));
    },
    registerHook(name: string, callback: HookCallback): Disposable {
      if (!isHookName(name)) {
        const error = new RangeError(`Unrecognized hook "${name}"`);
        throw Object.assign(error, { isAzureFunctionsSystemError: true });
      }
      const hooks = core.current.hooks[name];
      hooks.push(callback);
      return new Disposable(() => void hooks.splice(hooks.indexOf(callback), 1));
    },
    log(level: string, category: string, message: string): void {
      core.log(level, category, message);
    },
  };
}

function isHookName(name: string): name is HookName {
  return hookNames.some((known) => known === name);
}
