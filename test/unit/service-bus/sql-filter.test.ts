import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  map,
  mapOf,
  described,
  encodeValue,
  list,
  nothing,
  string,
} from "../../../local/service-bus/codec/encode.ts";
import type { AmqpValue } from "../../../local/service-bus/codec/decode.ts";
import { readContent, type MessageContent } from "../../../local/service-bus/codec/message-content.ts";
import { applyAction } from "../../../local/service-bus/sql-filter/apply-action.ts";
import { holds, SqlEvaluationError } from "../../../local/service-bus/sql-filter/evaluate.ts";
import { SqlSyntaxError } from "../../../local/service-bus/sql-filter/lexer.ts";
import { likeMatches } from "../../../local/service-bus/sql-filter/like.ts";
import { parseAction, parseFilter } from "../../../local/service-bus/sql-filter/parser.ts";

/** A message with a label and these application properties. */
function message(properties: Readonly<Record<string, AmqpValue>>, label = "order.created"): MessageContent {
  const fields = [string("id-1"), nothing, nothing, string(label)];
  const entries = Object.entries(properties).flatMap(([name, value]) => [string(name), encodeValue(value)]);
  return readContent(
    Buffer.concat([
      described(0x73n, list(fields)),
      described(0x74n, mapOf(entries)),
      described(0x77n, map({})),
    ]),
  );
}

const sample = message({
  amount: 1000,
  Region: "eu",
  rate: 0.5,
  vip: true,
  off: false,
  big: 9_007_199_254_740_993n,
  at: new Date(5),
  "odd name": "o'clock",
  nothing: null,
});
const evaluate = (expression: string) => holds(parseFilter(expression), sample);

function attempt(text: string): string {
  try {
    parseFilter(text);
    return "parsed";
  } catch (error) {
    return error instanceof Error ? error.name : "thrown";
  }
}

describe("a SQL filter", () => {
  test.each([
    "1=1",
    "amount = 1000",
    "AMOUNT >= 1000 AND region = 'eu'",
    "amount <> 999 AND amount != 999",
    "amount > 999.5 AND amount < 1.001e3 AND amount <= 1000",
    "amount + 1 = 1001 AND amount - 1 = 999 AND amount * 2 = 2000 AND amount / 4 = 250 AND amount % 7 = 6",
    "-amount = -1000",
    "1 + 2 * 3 = 7 AND (1 + 2) * 3 = 9",
    "sys.Label = 'order.created' AND sys.label LIKE 'order.%'",
    "sys.MessageId = 'id-1'",
    "user.region IN ('us', 'eu')",
    "region NOT IN ('us')",
    "region NOT LIKE 'u%'",
    "missing IS NULL AND region IS NOT NULL AND nothing IS NULL",
    "EXISTS(region) AND NOT EXISTS(missing)",
    "vip = TRUE AND off = FALSE AND vip AND NOT off",
    "[odd name] = 'o''clock' AND \"odd name\" LIKE 'o_clock'",
    "'50%' LIKE '50!%' ESCAPE '!'",
    "missing = 1 OR vip",
    "NOT (off AND missing = 1)",
    "region = 'eu' AND NOT region = 'EU'",
    "newid() <> newid()",
    "big > 9007199254740992",
    "amount <> '1000'",
  ])("selects: %s", (expression) => {
    expect(evaluate(expression)).toBe(true);
  });

  test.each([
    ["missing = 1", null],
    ["NOT missing = 1", null],
    ["missing <> 1", null],
    ["missing IN (1, 2)", null],
    ["missing LIKE '%'", null],
    ["region > 5", null],
    ["vip AND missing = 1", null],
    ["off OR missing = 1", null],
    ["off AND missing = 1", false],
    ["amount = '1000'", false],
    ["1=0", false],
    ["region", null],
  ])("is three-valued: %s is %s", (expression, expected) => {
    expect(evaluate(expression)).toBe(expected);
  });

  test.each([
    "",
    "a =",
    "= 1",
    "a = = b",
    "a IN ()",
    "(a = 1",
    "a LIKE",
    "sys.Unknown = 1",
    "foo.bar = 1",
    "a = 'x",
    "a ! b",
    "a NOT b",
    "EXISTS(1)",
    "AND",
  ])("is refused when it is created: %s", (expression) => {
    expect(() => parseFilter(expression)).toThrow(SqlSyntaxError);
  });

  test.each(["1 / 0 = 1", "region * 2 = 4", "amount % off = 1"])("fails on a message: %s", (expression) => {
    expect(() => evaluate(expression)).toThrow(SqlEvaluationError);
  });

  test("is bounded in depth, not by the stack", () => {
    expect(() => parseFilter(`${"(".repeat(50_000)}1=1${")".repeat(50_000)}`)).toThrow(SqlSyntaxError);
  });

  test("never does anything but parse or refuse, whatever the text", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string({ unit: fc.constantFrom("a", " ", "=", "'", "(", ")", "AND ", "1", ".", "[") }),
        ),
        (text) => {
          expect(attempt(text)).toMatch(/^(parsed|SqlSyntaxError)$/);
        },
      ),
    );
  });

  test("compares integers as integers", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const content = message({ a, b });
        expect(holds(parseFilter("a < b"), content)).toBe(a < b);
        expect(holds(parseFilter(`a = ${b < 0 ? `-${-b}` : b}`), content)).toBe(a === b);
      }),
    );
  });
});

describe("LIKE", () => {
  test("agrees with the regular expression it stands for", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c") });
    const pattern = fc.string({ unit: fc.constantFrom("a", "b", "%", "_") });
    fc.assert(
      fc.property(text, pattern, (value, like) => {
        const expected = new RegExp(`^${like.replaceAll("%", ".*").replaceAll("_", ".")}$`).test(value);
        expect(likeMatches(value, like)).toBe(expected);
      }),
    );
  });

  test("takes no exponential time", () => {
    expect(likeMatches("a".repeat(2000), `${"%a".repeat(200)}%b`)).toBe(false);
  });
});

describe("a SQL action", () => {
  const act = (action: string, content = sample) => applyAction(parseAction(action), content);

  test("sets and removes properties in order, whatever their case", () => {
    const changed = act(
      "SET priority = 'high'; SET amount = amount * 2; REMOVE REGION; SET sys.Label = 'new'",
    );
    expect(changed.applicationProperties().get("priority")).toBe("high");
    expect(changed.applicationProperties().get("amount")).toBe(2000);
    expect(changed.applicationProperties().has("Region")).toBe(false);
    expect(changed.property("subject")).toBe("new");
    expect(sample.applicationProperties().get("amount")).toBe(1000);
  });

  test.each(["", "SET", "SET a", "SET 1 = 2", "REMOVE", "DELETE a", "SET a = 1 SET b = 2"])(
    "is refused: %s",
    (action) => {
      expect(() => parseAction(action)).toThrow(SqlSyntaxError);
    },
  );
});
