import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";

import { glob } from "tinyglobby";

import { readJsonFile, Section } from "../config/json-file.ts";
import { messageOf, StartError } from "../../start-error.ts";
import type { AppRegistry } from "./app-registry.ts";
import { collectRegistrations } from "./core-module.ts";

export type WorkerLog = (level: string, category: string, message: string) => void;

/**
 * Modules run once in a process, so an app that is started again in the same process (as tests do)
 * keeps what it registered the first time.
 */
const loaded = new Map<string, AppRegistry>();

const defaultCapabilities = {
  RawHttpBodyBytes: "true",
  RpcHttpTriggerMetadataRemoved: "true",
  RpcHttpBodyOnly: "true",
  IgnoreEmptyValuedRpcHttpHeaders: "true",
  UseNullableValueDictionaryForHttp: "true",
  WorkerStatus: "true",
  TypedDataCollection: "true",
  HandlesWorkerTerminateMessage: "true",
};

/** Loads what `main` of the app's package.json matches, in the order of the Node worker's start. */
export async function loadApp(scriptRoot: string, log: WorkerLog): Promise<AppRegistry> {
  const root = realpathSync(scriptRoot);
  let app = loaded.get(root);
  if (app === undefined) {
    const manifest = new Section("package.json", readJsonFile(join(root, "package.json")) ?? {});
    const files = await entryPoints(root, manifest);
    const esm = manifest.string("type", undefined) === "module";
    app = await collectRegistrations(async () => {
      for (const file of files) await loadFile(root, file, esm);
    }, log);
    loaded.set(root, app);
  }
  await runAppHooks(app, "appStart", root);
  // Asking for the capabilities locks `app.setup` and starts the library's own listener when it streams.
  app.capabilities ??= await app.model?.getCapabilities({ ...defaultCapabilities });
  app.locked = true;
  return app;
}

export async function runAppHooks(app: AppRegistry, name: "appStart" | "appTerminate", root: string) {
  for (const hook of app.hooks[name]) {
    await hook({
      hookData: app.appLevelHookData,
      appHookData: app.appHookData,
      functionAppDirectory: root,
    });
  }
}

async function entryPoints(root: string, manifest: Section): Promise<string[]> {
  const main = manifest.string("main", undefined);
  if (main === undefined) {
    throw new StartError(
      `package.json in ${root} has no "main": set it to the files that register functions`,
    );
  }
  const files = await glob(main, { cwd: root, absolute: true, dot: true, expandDirectories: false });
  if (files.length === 0) {
    throw new StartError(`"main" of package.json matches no file: ${main} (in ${root}); is the app built?`);
  }
  return files.toSorted();
}

async function loadFile(root: string, file: string, esm: boolean): Promise<void> {
  const asModule = extname(file) === ".mjs" || (esm && extname(file) !== ".cjs");
  try {
    if (asModule) await import(pathToFileURL(file).href);
    else createRequire(file)(file);
  } catch (error) {
    throw new StartError(`The app failed to load ${relative(root, file)}: ${firstLine(messageOf(error))}`, {
      cause: error,
    });
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}
