import * as fc from "fast-check";

/** Texts that have broken somebody's API before. */
const texts = [
  "",
  " ",
  "'",
  "' or '1' eq '1",
  "%00",
  "\u0000",
  "\ud800",
  "../../etc/passwd",
  "<script>",
  "{{7*7}}",
  "ﷺ".repeat(50),
  "💥",
  "x".repeat(33_000),
  "__proto__",
  "constructor",
  "NaN",
  "1e309",
  "-1",
  "9".repeat(40),
  "9999-12-31T23:59:59-23:59",
];

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...texts),
  fc.string({ unit: "binary" }),
);

const deep = JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`) as unknown;

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 2 ** 53, [], {}, deep, [[]], [null]),
  fc.constant(JSON.parse('{"__proto__": {"polluted": true}}') as unknown),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The value with something in it replaced, taken away or added. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  const places = placesIn(value, 4);
  const change = fc.constantFrom("replace", "remove", "add");
  return fc
    .tuple(fc.constantFrom(...places), change, hostileValue, hostileText)
    .map(([path, how, other, name]) =>
      changed(value, path, (node) => {
        if (how === "add" && isObject(node)) return { ...node, [name]: other };
        return how === "remove" ? undefined : other;
      }),
    );
}

type Path = readonly (string | number)[];

function placesIn(value: unknown, depth: number): Path[] {
  if (depth === 0 || typeof value !== "object" || value === null) return [[]];
  const below = Object.entries(value).flatMap(([name, inner]) =>
    placesIn(inner, depth - 1).map((path): Path => [Array.isArray(value) ? Number(name) : name, ...path]),
  );
  return [[], ...below];
}

function changed(value: unknown, [step, ...rest]: Path, change: (node: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (Array.isArray(value)) {
    return (value as unknown[]).map((item, index) => (index === step ? changed(item, rest, change) : item));
  }
  return isObject(value) ? { ...value, [step]: changed(value[step], rest, change) } : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
