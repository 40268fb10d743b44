import { describe, expect, test } from "vitest";

import { exportArtifact, readArtifact } from "../../../shared/config/artifact.ts";
import { configHash } from "../../../shared/config/config-hash.ts";
import { SchemaProblems } from "../../../shared/json/schema.ts";
import { configOf, routeOf } from "./builders.ts";

const config = configOf([routeOf("a")]);
const artifact = exportArtifact(config, {
  environment: "qa",
  now: new Date("2026-11-18T10:00:00Z"),
  comment: "tried",
});

describe("a configuration as an artifact", () => {
  test("RTE-04: comes from one environment to the next as it was, and says where from", () => {
    expect(readArtifact(JSON.parse(JSON.stringify(artifact)))).toEqual({
      ...artifact,
      promotedFrom: `qa:${configHash(config)}`,
    });
  });

  test("RTE-03: has the same hash in any order of keys, and another for another content", () => {
    const turned = Object.fromEntries(Object.entries(config).toReversed());
    expect(configHash(turned)).toBe(artifact.hash);
    expect(configHash(configOf([routeOf("a", { enabled: false })]))).not.toBe(artifact.hash);
  });

  test("RTE-04: is refused when it was altered on the way", () => {
    const altered = { ...artifact, config: configOf([routeOf("a", { enabled: false })]) };
    expect(() => readArtifact(altered)).toThrow("is not what was exported");
  });

  test("RTE-04: is refused when it is something else", () => {
    expect(() => readArtifact(config)).toThrow(SchemaProblems);
    expect(() => readArtifact({ ...artifact, format: "interlock-routes-2" })).toThrow(
      'format must be "interlock-routes-1"',
    );
  });
});
