import type { PropertyName } from "../codec/message-content.ts";

/** System properties a filter may name, all in lower case because names ignore it. */
export const systemProperties: Readonly<Record<string, PropertyName>> = {
  messageid: "messageId",
  correlationid: "correlationId",
  to: "to",
  replyto: "replyTo",
  label: "subject",
  subject: "subject",
  sessionid: "sessionId",
  replytosessionid: "replyToSessionId",
  contenttype: "contentType",
};

export type SqlValue = string | number | bigint | boolean | Date | null;

export type PropertyReference =
  { readonly kind: "system"; readonly name: PropertyName } | { readonly kind: "user"; readonly name: string };

export type Comparison = "=" | "<>" | ">" | ">=" | "<" | "<=";
export type Operator = "+" | "-" | "*" | "/" | "%";

export type Expression =
  | { readonly kind: "constant"; readonly value: SqlValue }
  | { readonly kind: "property"; readonly property: PropertyReference }
  | { readonly kind: "newid" }
  | { readonly kind: "not"; readonly operand: Expression }
  | { readonly kind: "negate"; readonly operand: Expression }
  | { readonly kind: "and" | "or"; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: "compare";
      readonly operator: Comparison;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "arithmetic";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: "is-null"; readonly operand: Expression }
  | { readonly kind: "in"; readonly operand: Expression; readonly options: readonly Expression[] }
  | {
      readonly kind: "like";
      readonly operand: Expression;
      readonly pattern: Expression;
      readonly escape?: Expression;
    }
  | { readonly kind: "exists"; readonly property: PropertyReference };

export type Statement =
  | { readonly kind: "set"; readonly property: PropertyReference; readonly value: Expression }
  | { readonly kind: "remove"; readonly property: PropertyReference };
