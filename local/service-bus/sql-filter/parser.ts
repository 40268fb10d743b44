import { SqlSyntaxError, tokenize, type Token } from "./lexer.ts";
import {
  systemProperties,
  type Comparison,
  type Expression,
  type Operator,
  type PropertyReference,
  type Statement,
} from "./syntax.ts";

/**
 * The grammar of SQL filters and actions, one method per level of precedence.
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-messaging-sql-filter
 */
export function parseFilter(text: string): Expression {
  const parser = new Parser(text);
  const expression = parser.expression();
  parser.end();
  return expression;
}

export function parseAction(text: string): readonly Statement[] {
  const parser = new Parser(text);
  const statements = parser.statements();
  parser.end();
  return statements;
}

const keywords = new Set([
  "and",
  "or",
  "not",
  "is",
  "null",
  "in",
  "like",
  "escape",
  "exists",
  "true",
  "false",
  "set",
  "remove",
]);
const comparisons: Readonly<Record<string, Comparison>> = {
  "=": "=",
  "<>": "<>",
  "!=": "<>",
  ">": ">",
  ">=": ">=",
  "<": "<",
  "<=": "<=",
};
const sums: Readonly<Record<string, Operator>> = { "+": "+", "-": "-" };
const products: Readonly<Record<string, Operator>> = { "*": "*", "/": "/", "%": "%" };
/** Deeper nesting than any rule needs; without a bound a long row of parentheses overflows the stack. */
const deepest = 100;

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  end(): void {
    if (this.#token.kind !== "end") this.#fail();
  }

  statements(): readonly Statement[] {
    const statements: Statement[] = [];
    do {
      if (this.#keyword("set")) {
        const property = this.#property();
        this.#expect("=");
        statements.push({ kind: "set", property, value: this.expression() });
      } else if (this.#keyword("remove")) {
        statements.push({ kind: "remove", property: this.#property() });
      } else if (statements.length === 0 || this.#token.kind !== "end") {
        this.#fail();
      }
    } while (this.#symbol(";"));
    return statements;
  }

  expression(): Expression {
    if (++this.#depth > deepest) throw new SqlSyntaxError("The expression is nested too deeply.");
    let left = this.#conjunction();
    while (this.#keyword("or")) left = { kind: "or", left, right: this.#conjunction() };
    this.#depth--;
    return left;
  }

  #conjunction(): Expression {
    let left = this.#negation();
    while (this.#keyword("and")) left = { kind: "and", left, right: this.#negation() };
    return left;
  }

  #negation(): Expression {
    let negated = false;
    while (this.#keyword("not")) negated = !negated;
    const operand = this.#predicate();
    return negated ? { kind: "not", operand } : operand;
  }

  #predicate(): Expression {
    const left = this.#sum();
    const comparison = this.#operator(comparisons);
    if (comparison) return { kind: "compare", operator: comparison, left, right: this.#sum() };
    if (this.#keyword("is")) {
      const negated = this.#keyword("not");
      if (!this.#keyword("null")) this.#fail();
      return inverted(negated, { kind: "is-null", operand: left });
    }
    const negated = this.#keyword("not");
    if (this.#keyword("in"))
      return inverted(negated, { kind: "in", operand: left, options: this.#options() });
    if (this.#keyword("like")) return inverted(negated, this.#like(left));
    return negated ? this.#fail() : left;
  }

  #options(): readonly Expression[] {
    this.#expect("(");
    const options = [this.expression()];
    while (this.#symbol(",")) options.push(this.expression());
    this.#expect(")");
    return options;
  }

  #like(operand: Expression): Expression {
    const pattern = this.#sum();
    return this.#keyword("escape")
      ? { kind: "like", operand, pattern, escape: this.#sum() }
      : { kind: "like", operand, pattern };
  }

  #sum(): Expression {
    let left = this.#product();
    for (let operator = this.#operator(sums); operator; operator = this.#operator(sums)) {
      left = { kind: "arithmetic", operator, left, right: this.#product() };
    }
    return left;
  }

  #product(): Expression {
    let left = this.#factor();
    for (let operator = this.#operator(products); operator; operator = this.#operator(products)) {
      left = { kind: "arithmetic", operator, left, right: this.#factor() };
    }
    return left;
  }

  #factor(): Expression {
    let negative = false;
    for (let sign = this.#operator(sums); sign; sign = this.#operator(sums)) {
      if (sign === "-") negative = !negative;
    }
    const operand = this.#primary();
    return negative ? { kind: "negate", operand } : operand;
  }

  #primary(): Expression {
    const token = this.#token;
    if (token.kind === "number" || token.kind === "string") {
      this.#at++;
      return { kind: "constant", value: token.value };
    }
    if (this.#symbol("(")) {
      const inner = this.expression();
      this.#expect(")");
      return inner;
    }
    if (this.#keyword("true")) return { kind: "constant", value: true };
    if (this.#keyword("false")) return { kind: "constant", value: false };
    if (this.#keyword("null")) return { kind: "constant", value: null };
    if (this.#keyword("exists")) {
      this.#expect("(");
      const property = this.#property();
      this.#expect(")");
      return { kind: "exists", property };
    }
    if (
      token.kind === "name" &&
      !token.quoted &&
      token.value.toLowerCase() === "newid" &&
      this.#follows("(")
    ) {
      this.#at += 2;
      this.#expect(")");
      return { kind: "newid" };
    }
    return { kind: "property", property: this.#property() };
  }

  #property(): PropertyReference {
    const first = this.#name();
    if (!this.#symbol(".")) return { kind: "user", name: first };
    const scope = first.toLowerCase();
    const name = this.#name();
    if (scope === "user") return { kind: "user", name };
    const system = scope === "sys" ? systemProperties[name.toLowerCase()] : undefined;
    if (!system) throw new SqlSyntaxError(`'${first}.${name}' is not a property a rule can use.`);
    return { kind: "system", name: system };
  }

  #name(): string {
    const token = this.#token;
    if (token.kind !== "name" || (!token.quoted && keywords.has(token.value.toLowerCase())))
      return this.#fail();
    this.#at++;
    return token.value;
  }

  get #token(): Token {
    return this.#tokens[this.#at] ?? { kind: "end", at: this.#at };
  }

  #follows(symbol: string): boolean {
    const next = this.#tokens[this.#at + 1];
    return next?.kind === "symbol" && next.value === symbol;
  }

  #keyword(word: string): boolean {
    const token = this.#token;
    if (token.kind !== "name" || token.quoted || token.value.toLowerCase() !== word) return false;
    this.#at++;
    return true;
  }

  #symbol(symbol: string): boolean {
    const token = this.#token;
    if (token.kind !== "symbol" || token.value !== symbol) return false;
    this.#at++;
    return true;
  }

  #operator<T>(table: Readonly<Record<string, T>>): T | undefined {
    const token = this.#token;
    const operator = token.kind === "symbol" ? table[token.value] : undefined;
    if (operator) this.#at++;
    return operator;
  }

  #expect(symbol: string): void {
    if (!this.#symbol(symbol)) this.#fail();
  }

  #fail(): never {
    const token = this.#token;
    const found = token.kind === "end" ? "the end" : `'${token.value}'`;
    throw new SqlSyntaxError(`Unexpected ${found} at position ${token.at + 1}.`);
  }
}

const inverted = (negated: boolean, operand: Expression): Expression =>
  negated ? { kind: "not", operand } : operand;
