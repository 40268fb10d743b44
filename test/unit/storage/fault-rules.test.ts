import { describe, expect, test } from "vitest";

import { ownToken, withoutOwnToken } from "../../../local/storage/fault-proxy/empty-page.ts";
import type { TableOperation } from "../../../local/storage/fault-proxy/operation.ts";
import { seededRandom } from "../../../local/storage/fault-proxy/random.ts";
import { Rules } from "../../../local/storage/fault-proxy/rules.ts";

const insert: TableOperation = { service: "table", kind: "insert", resource: "T", partitionKey: "p" };

describe("the rules for faults", () => {
  test("strike after what they skip, as often as they say, and are then spent", () => {
    const rules = new Rules(() => 0);
    const rule = rules.add({ match: {}, skip: 1, times: 2, fault: { kind: "busy" } });
    const struck = [1, 2, 3, 4].map(() => rules.plan(insert).fault !== undefined);
    expect(struck).toEqual([false, true, true, false]);
    expect(rule.hits).toBe(2);
  });

  test("add their delays up, and end with the first other fault", () => {
    const rules = new Rules(() => 0);
    rules.add({ match: {}, fault: { kind: "delay", milliseconds: 5 } });
    rules.add({ match: { kind: "get" }, fault: { kind: "reset" } });
    rules.add({ match: { kind: ["get", "insert"] }, fault: { kind: "delay", milliseconds: 7 } });
    rules.add({ match: { service: "table" }, fault: { kind: "timed-out" } });
    const unasked = rules.add({ match: {}, fault: { kind: "busy" } });
    expect(rules.plan(insert)).toEqual({ delayMs: 12, fault: { kind: "timed-out" } });
    expect(unasked.hits).toBe(0);
  });

  test("are gone when removed or cleared", () => {
    const rules = new Rules(() => 0);
    rules.add({ match: {}, fault: { kind: "busy" } }).remove();
    expect(rules.plan(insert).fault).toBeUndefined();
    rules.add({ match: {}, fault: { kind: "busy" } });
    rules.clear();
    expect(rules.plan(insert).fault).toBeUndefined();
  });

  test("give empty pages to queries alone", () => {
    const rules = new Rules(() => 0);
    rules.add({ match: {}, fault: { kind: "empty-page" } });
    expect(rules.plan(insert).fault).toBeUndefined();
    expect(rules.plan({ ...insert, kind: "query" }).fault).toEqual({ kind: "empty-page" });
  });

  test("strike about as often as their probability says", () => {
    const random = seededRandom(42);
    const struck = Array.from({ length: 10_000 }, random).filter((number) => number < 0.1).length;
    expect(struck).toBeGreaterThan(900);
    expect(struck).toBeLessThan(1100);
  });
});

describe("the token of an empty page", () => {
  test.each([
    "/account/T()",
    "/account/T()?$filter=a%20eq%20'b'",
    "/account/T()?NextPartitionKey=1!8!cA--&NextRowKey=1!4!cg&$top=2",
  ])("brings back the place of %s", (target) => {
    const resumed = `${target.split("?")[0]}?$top=2&NextPartitionKey=${encodeURIComponent(ownToken(target))}`;
    const restored = new URL(withoutOwnToken(resumed), "http://x").searchParams;
    const original = new URL(target, "http://x").searchParams;
    for (const name of ["NextPartitionKey", "NextRowKey"])
      expect(restored.get(name)).toBe(original.get(name));
    expect(restored.get("$top")).toBe("2");
  });

  test("leaves a token of the storage's own as it is", () => {
    const target = "/account/T()?NextPartitionKey=1!8!cA--&NextRowKey=1!4!cg";
    expect(withoutOwnToken(target)).toBe(target);
  });
});
