import type {
  CorrelationField,
  CorrelationFilter,
  CorrelationValue,
  RuleDescription,
  RuleFilter,
} from "../entities/settings.ts";
import { invalidArgument } from "../errors.ts";
import { child, escapeXml, tag, type XmlElement } from "./xml.ts";

const schemaNamespace = "http://www.w3.org/2001/XMLSchema";
const fieldTags: readonly (readonly [CorrelationField, string])[] = [
  ["correlationId", "CorrelationId"],
  ["messageId", "MessageId"],
  ["to", "To"],
  ["replyTo", "ReplyTo"],
  ["subject", "Label"],
  ["sessionId", "SessionId"],
  ["replyToSessionId", "ReplyToSessionId"],
  ["contentType", "ContentType"],
];

export function readRule(name: string, xml: XmlElement): RuleDescription {
  const filter = child(xml, "Filter");
  const action = child(xml, "Action");
  return { name, filter: readFilter(filter), action: action && child(action, "SqlExpression")?.text };
}

function readFilter(xml: XmlElement | undefined): RuleFilter {
  switch (xml?.attributes.get("type")) {
    case undefined:
    case "TrueFilter":
      return { kind: "true" };
    case "FalseFilter":
      return { kind: "false" };
    case "SqlFilter":
      return { kind: "sql", expression: child(xml, "SqlExpression")?.text ?? "" };
    case "CorrelationFilter":
      return readCorrelation(xml);
    default:
      throw invalidArgument("The filter is of an unknown type.");
  }
}

function readCorrelation(xml: XmlElement): CorrelationFilter {
  const fields = fieldTags.flatMap(([field, name]) => {
    const value = child(xml, name)?.text;
    return value === undefined || value === "" ? [] : [[field, value] as const];
  });
  const pairs = child(xml, "Properties")?.children ?? [];
  const properties = pairs.map(
    (pair) => [child(pair, "Key")?.text ?? "", readValue(child(pair, "Value"))] as const,
  );
  return {
    kind: "correlation",
    fields: Object.fromEntries(fields),
    properties: Object.fromEntries(properties),
  };
}

function readValue(xml: XmlElement | undefined): CorrelationValue {
  const text = xml?.text ?? "";
  const type = xml?.attributes.get("type") ?? "string";
  switch (type.slice(type.indexOf(":") + 1)) {
    case "boolean":
      return text === "true";
    case "double":
    case "int":
    case "long":
      return Number(text);
    case "dateTime":
      return new Date(text);
    default:
      return text;
  }
}

export function ruleXml({ name, filter, action }: RuleDescription): string {
  const act =
    action === undefined
      ? '<Action i:type="EmptyRuleAction"/>'
      : `<Action i:type="SqlRuleAction">${tag("SqlExpression", action)}${tag("CompatibilityLevel", 20)}</Action>`;
  return filterXml(filter) + act + tag("Name", name);
}

function filterXml(filter: RuleFilter): string {
  const sql = (type: string, expression: string): string =>
    `<Filter i:type="${type}">${tag("SqlExpression", expression)}${tag("CompatibilityLevel", 20)}</Filter>`;
  switch (filter.kind) {
    case "true":
      return sql("TrueFilter", "1=1");
    case "false":
      return sql("FalseFilter", "1=0");
    case "sql":
      return sql("SqlFilter", filter.expression);
    default: {
      const fields = fieldTags.map(([field, name]) => tag(name, filter.fields[field])).join("");
      const pairs = Object.entries(filter.properties).map(([key, value]) => pairXml(key, value));
      const properties = pairs.length > 0 ? `<Properties>${pairs.join("")}</Properties>` : "";
      return `<Filter i:type="CorrelationFilter">${fields}${properties}</Filter>`;
    }
  }
}

function pairXml(key: string, value: CorrelationValue): string {
  const text = value instanceof Date ? value.toISOString() : String(value);
  const type = value instanceof Date ? "dateTime" : typeof value === "number" ? "double" : typeof value;
  return (
    `<KeyValueOfstringanyType>${tag("Key", key)}` +
    `<Value i:type="d6p1:${type}" xmlns:d6p1="${schemaNamespace}">${escapeXml(text)}</Value></KeyValueOfstringanyType>`
  );
}
