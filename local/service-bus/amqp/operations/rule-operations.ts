import { Described, type AmqpMap, type AmqpValue } from "../../codec/decode.ts";
import * as encode from "../../codec/encode.ts";
import { textOf } from "../../codec/message-content.ts";
import type {
  CorrelationField,
  CorrelationFilter,
  CorrelationValue,
  RuleDescription,
  RuleFilter,
} from "../../entities/settings.ts";
import type { Subscription } from "../../entities/topic.ts";
import { invalidArgument, notAllowed } from "../../errors.ts";
import { asMap } from "../request.ts";
import { integerField, optionalString, stringField } from "./arguments.ts";
import { noContent, ok, type Call, type Operation } from "./operation.ts";

/** Descriptors of the types a rule is described with; filters have one digit less than rules and actions. */
const descriptors = {
  rule: 0x137_0000_0004n,
  sqlFilter: 0x13_7000_0006n,
  trueFilter: 0x13_7000_0007n,
  falseFilter: 0x13_7000_0008n,
  correlationFilter: 0x13_7000_0009n,
  emptyAction: 0x137_0000_0005n,
  sqlAction: 0x137_0000_0006n,
} as const;
/** The only compatibility level of the SQL dialect. */
const sqlLevel = 20;

/** Correlation fields in the order of the described list, with their names in an add-rule request. */
const wireFields: readonly (readonly [CorrelationField, string])[] = [
  ["correlationId", "correlation-id"],
  ["messageId", "message-id"],
  ["to", "to"],
  ["replyTo", "reply-to"],
  ["subject", "label"],
  ["sessionId", "session-id"],
  ["replyToSessionId", "reply-to-session-id"],
  ["contentType", "content-type"],
];

export const addRule: Operation = (call) => {
  const name = stringField(call.body, "rule-name");
  const description = asMap(call.body.get("rule-description"));
  const action = asMap(description.get("sql-rule-action"));
  subscriptionOf(call).addRule({
    name,
    filter: readFilter(description),
    action: optionalString(action, "expression"),
  });
  return ok();
};

export const removeRule: Operation = (call) => {
  subscriptionOf(call).removeRule(stringField(call.body, "rule-name"));
  return ok();
};

export const enumerateRules: Operation = (call) => {
  const skip = integerField(call.body, "skip", 0);
  const rules = subscriptionOf(call).rules.slice(skip, skip + integerField(call.body, "top", 100));
  if (rules.length === 0) return noContent;
  const items = rules.map((rule) => encode.map({ "rule-description": encodeRule(rule) }));
  return ok(encode.map({ rules: encode.list(items) }));
};

function subscriptionOf({ entity }: Call): Subscription {
  if (entity.kind !== "subscription") throw notAllowed("Only subscriptions have rules.");
  return entity.subscription;
}

function readFilter(description: AmqpMap): RuleFilter {
  const sql = description.get("sql-filter");
  if (sql instanceof Map) return { kind: "sql", expression: stringField(asMap(sql), "expression") };
  const correlation = description.get("correlation-filter");
  if (!(correlation instanceof Map)) throw invalidArgument("A rule needs a filter.");
  const body = asMap(correlation);
  const fields: CorrelationFilter["fields"] = Object.fromEntries(
    wireFields.flatMap(([field, name]) => {
      const value = textOf(body.get(name) ?? null);
      return value === undefined ? [] : [[field, value]];
    }),
  );
  const properties = Array.from(asMap(body.get("properties")), ([name, value]) => [
    name,
    correlationValue(name, value),
  ]);
  return {
    kind: "correlation",
    fields,
    properties: Object.fromEntries(properties) as Record<string, CorrelationValue>,
  };
}

function correlationValue(name: string, value: AmqpValue): CorrelationValue {
  const plain = value instanceof Described ? value.value : value;
  if (typeof plain === "string" || typeof plain === "number" || typeof plain === "boolean") return plain;
  if (plain instanceof Date) return plain;
  if (typeof plain === "bigint") return Number(plain);
  throw invalidArgument(`The property '${name}' of the filter has a type that cannot be compared.`);
}

function encodeRule({ name, filter, action }: RuleDescription): Buffer {
  const encodedAction =
    action === undefined
      ? encode.described(descriptors.emptyAction, encode.list([]))
      : encode.described(descriptors.sqlAction, encode.list([encode.string(action), encode.int(sqlLevel)]));
  return encode.described(
    descriptors.rule,
    encode.list([encodeFilter(filter), encodedAction, encode.string(name)]),
  );
}

function encodeFilter(filter: RuleFilter): Buffer {
  switch (filter.kind) {
    case "true":
      return encode.described(descriptors.trueFilter, encode.list([]));
    case "false":
      return encode.described(descriptors.falseFilter, encode.list([]));
    case "sql":
      return encode.described(
        descriptors.sqlFilter,
        encode.list([encode.string(filter.expression), encode.int(sqlLevel)]),
      );
    default: {
      const fields = wireFields.map(([field]) => {
        const value = filter.fields[field];
        return value === undefined ? encode.nothing : encode.string(value);
      });
      const properties = encode.encodeValue(new Map(Object.entries(filter.properties)));
      return encode.described(descriptors.correlationFilter, encode.list([...fields, properties]));
    }
  }
}
