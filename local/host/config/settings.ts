import { join } from "node:path";

import { StartError } from "../../start-error.ts";
import { isObject, readJsonFile, Section } from "./json-file.ts";

/** The app's settings: local.settings.json under the environment, which wins. */
export type Settings = Readonly<Record<string, string | undefined>>;

export interface LocalSettings {
  readonly values: Readonly<Record<string, string>>;
  readonly localHttpPort: number | undefined;
}

export function readLocalSettings(scriptRoot: string): LocalSettings {
  const file = "local.settings.json";
  const found = readJsonFile(join(scriptRoot, file));
  if (found === undefined) return { values: {}, localHttpPort: undefined };
  const root = new Section(file, found);
  if (root.boolean("IsEncrypted", false)) {
    throw new StartError(`${file} is encrypted, which only func can read: run "func settings decrypt" first`);
  }
  const values: Record<string, string> = {};
  const section = root.section("Values");
  for (const [name, value] of section.entries()) {
    if (typeof value !== "string") throw section.wrong(name, "a string (settings are environment variables)");
    values[name] = value;
  }
  for (const [name, value] of root.section("ConnectionStrings").entries()) {
    const text = isObject(value) ? value["ConnectionString"] : value;
    if (typeof text === "string") values[`ConnectionStrings:${name}`] = text;
  }
  const port = root.section("Host").number("LocalHttpPort", 0);
  return { values, localHttpPort: port === 0 ? undefined : port };
}

/**
 * Puts the file's values into the environment, where the app looks for them, and answers with how to take
 * them out again. A value the environment has already stays.
 */
export function applySettings(values: Readonly<Record<string, string>>): () => void {
  const added = Object.entries(values).filter(([name]) => process.env[name] === undefined);
  for (const [name, value] of added) process.env[name] = value;
  return () => {
    for (const [name] of added) delete process.env[name];
  };
}

/** Replaces `%NAME%` by the setting of that name; `where` says whose text it is when one is missing. */
export function resolvePercent(text: string, settings: Settings, where: string): string {
  return text.replace(/%([^%]+)%/g, (_, name: string) => {
    const value = settings[name];
    if (value === undefined) {
      throw new StartError(
        `${where} refers to %${name}%, which is not set: add ${name} to local.settings.json or the environment`,
      );
    }
    return value;
  });
}

/** On, in the words the platform accepts. */
export function isOn(value: string | undefined): boolean {
  return value === "1" || value?.toLowerCase() === "true";
}
