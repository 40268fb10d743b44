/** A filter or action that does not follow the grammar, with the place where it stops making sense. */
export class SqlSyntaxError extends Error {
  override readonly name = "SqlSyntaxError";
}

export type Token =
  | { readonly kind: "number"; readonly value: number; readonly at: number }
  | { readonly kind: "string"; readonly value: string; readonly at: number }
  /** `quoted` names came in [brackets] or "quotes" and are never keywords. */
  | { readonly kind: "name"; readonly value: string; readonly quoted: boolean; readonly at: number }
  | { readonly kind: "symbol"; readonly value: string; readonly at: number }
  | { readonly kind: "end"; readonly at: number };

const patterns = [
  ["space", /\s+/y],
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["string", /'(?:[^']|'')*'/y],
  ["name", /\p{L}[\p{L}\p{N}_]*/uy],
  ["quoted", /\[(?:[^\]]|\]\])+\]|"(?:[^"]|"")+"/y],
  ["symbol", /<>|!=|>=|<=|[=<>+\-*/%(),.;]/y],
] as const;

/** Splits an expression into tokens; the last one is always `end`. */
export function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const [kind, lexeme] = match(text, at);
    if (kind !== "space") tokens.push(token(kind, lexeme, at));
    at += lexeme.length;
  }
  return [...tokens, { kind: "end", at }];
}

type Lexeme = (typeof patterns)[number][0];

function match(text: string, at: number): readonly [Lexeme, string] {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) return [kind, found[0]];
  }
  throw new SqlSyntaxError(`Unexpected character '${text[at]}' at position ${at + 1}.`);
}

function token(kind: Exclude<Lexeme, "space">, lexeme: string, at: number): Token {
  switch (kind) {
    case "number":
      return { kind, value: Number(lexeme), at };
    case "string":
      return { kind, value: lexeme.slice(1, -1).replaceAll("''", "'"), at };
    case "name":
      return { kind, value: lexeme, quoted: false, at };
    case "quoted":
      return { kind: "name", value: unquote(lexeme), quoted: true, at };
    default:
      return { kind, value: lexeme, at };
  }
}

function unquote(lexeme: string): string {
  const inner = lexeme.slice(1, -1);
  return lexeme.startsWith("[") ? inner.replaceAll("]]", "]") : inner.replaceAll('""', '"');
}
