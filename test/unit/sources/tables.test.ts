import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";

import { findScheme, schemes } from "../../../shared/sources/schemes.ts";
import type { Scheme, Source } from "../../../shared/sources/source.ts";
import { findSource, sources } from "../../../shared/sources/sources.ts";
import { vendorNames, vendors } from "../../support/sign/sample-webhook.ts";

describe("the tables of sources and schemes", () => {
  test("know each entry by its own name, and nothing else by any", () => {
    for (const [name, scheme] of Object.entries(schemes)) expect(findScheme(name)).toBe(scheme);
    for (const [name, source] of Object.entries(sources)) expect(findSource(name)).toBe(source);
    for (const { name } of Object.values(schemes)) expect(findScheme(name)?.name).toBe(name);
    for (const { name } of Object.values(sources)) expect(findSource(name)?.name).toBe(name);
    for (const name of ["", "constructor", "__proto__", "GitHub"]) {
      expect(findScheme(name)).toBeUndefined();
      expect(findSource(name)).toBeUndefined();
    }
  });

  test.each(Object.entries(sources))("%s names schemes that exist", (_, source) => {
    for (const scheme of source.schemes) expect(findScheme(scheme), scheme).toBeDefined();
  });

  test("every source has samples, signed by its default scheme", () => {
    expect(vendorNames.toSorted()).toEqual(Object.keys(sources).toSorted());
    for (const name of vendorNames) expect(vendors[name].scheme).toBe(sources[name].schemes[0]);
  });
});

describe("the schemas of settings", () => {
  const ajv = new Ajv({ allErrors: true, strict: true });
  const all: readonly (Scheme | Source)[] = [...Object.values(schemes), ...Object.values(sources)];
  const withSchema = all.filter(({ configSchema }) => configSchema !== undefined);

  test.each(withSchema)("$name has one that is valid", ({ configSchema }) => {
    expect(() => ajv.compile(configSchema ?? {})).not.toThrow();
  });

  test.each(vendorNames)("the samples' settings of %s keep to them", (name) => {
    const { schemeConfig = {}, normaliserConfig = {} } = vendors[name];
    const anything = {};
    const scheme: Scheme | undefined = findScheme(vendors[name].scheme);
    const source: Source | undefined = findSource(name);
    expect(ajv.validate(scheme?.configSchema ?? anything, schemeConfig)).toBe(true);
    expect(ajv.validate(source?.configSchema ?? anything, normaliserConfig)).toBe(true);
  });

  test("a template without the timestamp or with two bodies is refused", () => {
    const { configSchema } = schemes["generic-hmac"];
    const settings = (template: string): object => ({
      header: "X-S",
      timestamp: { header: "X-T", template },
    });
    for (const good of ["{timestamp}.{body}", "v0:{timestamp}:{body}", "{body}{timestamp}"]) {
      expect(ajv.validate(configSchema ?? {}, settings(good)), good).toBe(true);
    }
    for (const bad of ["{body}", "{timestamp}", "{timestamp}{body}{body}", ""]) {
      expect(ajv.validate(configSchema ?? {}, settings(bad)), bad).toBe(false);
    }
  });
});
