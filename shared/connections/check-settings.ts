import { fitting, invalid } from "../api/invalid.ts";
import type { FieldError } from "../faults.ts";
import { reader } from "../json/schema.ts";
import { findScheme } from "../sources/schemes.ts";
import type { Scheme, Source } from "../sources/source.ts";
import { findSource, sources } from "../sources/sources.ts";
import { cidrProblem } from "./cidr-problem.ts";
import type { Connection } from "./connection.ts";

/** What of a connection depends on its source and scheme. */
export type SourceSettings = Pick<
  Connection,
  "source" | "scheme" | "schemeConfig" | "normaliserConfig" | "allowedIps"
>;

/** A table's column takes no more, and nothing that is meant seriously comes near it. */
const maxConfigLength = 16_000;

/** The source and how it signs: the scheme that is named, or the source's usual one. */
export function chooseScheme(sourceName: string, schemeName: string | undefined): [Source, Scheme] {
  const source = findSource(sourceName);
  if (source === undefined) {
    throw invalid({ path: "body.source", message: `must be one of ${Object.keys(sources).join(", ")}` });
  }
  const name = schemeName ?? source.schemes[0];
  const scheme = findScheme(name);
  if (scheme === undefined || !source.schemes.includes(name)) {
    throw invalid({
      path: "body.scheme",
      message: `must be one of ${source.schemes.join(", ")} for the source ${sourceName}`,
    });
  }
  return [source, scheme];
}

/** Refuses what the schema of the request cannot see: settings that do not fit the source or the scheme. */
export function checkSettings(settings: SourceSettings): void {
  const [source, scheme] = chooseScheme(settings.source, settings.scheme);
  checkConfig("schemeConfig", settings.schemeConfig, scheme.configSchema, `The scheme ${scheme.name}`);
  checkConfig(
    "normaliserConfig",
    settings.normaliserConfig,
    source.configSchema,
    `The source ${source.name}`,
  );
  const errors = settings.allowedIps.flatMap((block, index): FieldError[] => {
    const message = cidrProblem(block);
    return message === undefined ? [] : [{ path: `body.allowedIps[${index}]`, message }];
  });
  if (errors.length > 0) throw invalid(...errors);
}

export function checkSecret(scheme: Scheme, secret: string): void {
  const message = secret.trim() === "" ? "must not be blank" : scheme.secretProblem?.(secret);
  if (message !== undefined) throw invalid({ path: "body.secret", message });
}

const readers = new WeakMap<object, (value: unknown) => unknown>();

function checkConfig(field: string, value: unknown, schema: object | undefined, owner: string): void {
  const path = `body.${field}`;
  if (schema === undefined) {
    if (value !== undefined) throw invalid({ path, message: `must be left out: ${owner} has no settings` });
    return;
  }
  if (value !== undefined && JSON.stringify(value).length > maxConfigLength) {
    throw invalid({ path, message: `must not be longer than ${maxConfigLength} characters` });
  }
  const read = readers.get(schema) ?? reader<unknown>({ ...schema });
  readers.set(schema, read);
  fitting(path, () => read(value ?? {}));
}
