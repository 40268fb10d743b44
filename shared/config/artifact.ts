import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { Fault } from "../faults.ts";
import { reader } from "../json/schema.ts";
import { configHash } from "./config-hash.ts";
import type { RouteConfig } from "./route-schema.ts";

/**
 * A configuration as a file that goes from one environment to the next: what was tried in one is, by its hash, exactly
 * what is put into place in the other. It holds no secret, since a configuration only names them.
 */
export const artifactSchema = {
  type: "object",
  additionalProperties: false,
  required: ["format", "hash", "environment", "exportedAt", "config"],
  properties: {
    format: { const: "interlock-routes-1" },
    hash: { type: "string", pattern: "^[0-9a-f]{32}$" },
    environment: { type: "string", minLength: 1, maxLength: 100 },
    exportedAt: { type: "string", format: "date-time" },
    comment: { type: "string", maxLength: 1000 },
    /** Validated where it is put into place: only there is known what else there is. */
    config: { type: "object" },
  },
} as const satisfies JSONSchema;

export type ConfigArtifact = FromSchema<typeof artifactSchema>;

const read = reader<ConfigArtifact>(artifactSchema);

export interface ArtifactMeta {
  readonly environment: string;
  readonly now: Date;
  readonly comment?: string;
}

export function exportArtifact(
  config: RouteConfig,
  { environment, now, comment }: ArtifactMeta,
): ConfigArtifact {
  return {
    format: "interlock-routes-1",
    hash: configHash(config),
    environment,
    exportedAt: now.toISOString(),
    ...(comment === undefined ? {} : { comment }),
    config,
  };
}

/** Throws `SchemaProblems` where it is no artifact, and a fault where it is not what was exported. */
export function readArtifact(raw: unknown): ConfigArtifact & { readonly promotedFrom: string } {
  const artifact = read(raw, "The artifact");
  if (configHash(artifact.config) !== artifact.hash) throw new Fault("artifact-altered");
  return { ...artifact, promotedFrom: `${artifact.environment}:${artifact.hash}` };
}
