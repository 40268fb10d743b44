import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";

import {
  formatApiKey,
  hashSecret,
  newApiKey,
  parseApiKey,
  secretMatches,
} from "../../../shared/access/api-key.ts";

describe("API keys", () => {
  test("come back from their text, and no two are alike", () => {
    const keys = Array.from({ length: 1000 }, newApiKey);
    for (const key of keys) expect(parseApiKey(formatApiKey(key))).toEqual(key);
    expect(new Set(keys.map(formatApiKey)).size).toBe(keys.length);
  });

  test("are recognised only in their exact form", () => {
    assert(
      property(string(), (text) => {
        expect(parseApiKey(text)).toBeUndefined();
      }),
    );
    const text = formatApiKey(newApiKey());
    for (const wrong of [` ${text}`, `${text}x`, text.slice(1), text.toUpperCase()]) {
      expect(parseApiKey(wrong)).toBeUndefined();
    }
  });

  test("match their own hash alone, and nothing matches a key that does not exist", () => {
    const { secret } = newApiKey();
    expect(secretMatches(secret, hashSecret(secret))).toBe(true);
    expect(secretMatches(secret, hashSecret(newApiKey().secret))).toBe(false);
    expect(secretMatches(secret, undefined)).toBe(false);
    expect(secretMatches("", undefined)).toBe(false);
  });
});
