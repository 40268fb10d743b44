import { type Constraint, parseConstraint } from "./constraints.ts";
import { TemplateError } from "./template-error.ts";

export interface Parameter {
  readonly kind: "parameter";
  readonly name: string;
  readonly catchAll: boolean;
  readonly optional: boolean;
  readonly defaultValue: string | undefined;
  readonly constraints: readonly Constraint[];
}

/** Reads what stands between the braces: `[*[*]]name[:constraint…][=default][?]`. */
export function parseParameter(source: string): Parameter {
  const text = source.replaceAll("{{", "{").replaceAll("}}", "}");
  const stars = /^\*{0,2}/.exec(text)?.[0].length ?? 0;
  const optional = text.endsWith("?");
  const body = text.slice(stars, optional ? -1 : undefined);
  const nameEnd = body.search(/[:=]/);
  const name = (nameEnd === -1 ? body : body.slice(0, nameEnd)).trim();
  if (!/^[^/{}?*]+$/.test(name)) throw new TemplateError(`{${source}} has no valid parameter name`);
  const { constraints, defaultValue } = parseRest(nameEnd === -1 ? "" : body.slice(nameEnd));
  const catchAll = stars > 0;
  if (optional && catchAll) throw new TemplateError(`catch-all {${source}} cannot be optional`);
  if (optional && defaultValue !== undefined) {
    throw new TemplateError(`{${source}} cannot be optional and have a default`);
  }
  return { kind: "parameter", name, catchAll, optional, defaultValue, constraints };
}

function parseRest(text: string): Pick<Parameter, "constraints" | "defaultValue"> {
  const constraints: Constraint[] = [];
  let rest = text;
  while (rest.startsWith(":")) {
    const end = constraintEnd(rest);
    constraints.push(parseConstraint(rest.slice(1, end)));
    rest = rest.slice(end);
  }
  return { constraints, defaultValue: rest.startsWith("=") ? rest.slice(1) : undefined };
}

/** A closing parenthesis ends the arguments only before `:`, `=` or the end: a regex may hold others. */
function constraintEnd(text: string): number {
  const plain = /[:=(]/.exec(text.slice(1));
  if (plain === null) return text.length;
  const at = plain.index + 1;
  if (plain[0] !== "(") return at;
  const closing = /\)(?=[:=]|$)/.exec(text.slice(at));
  if (closing === null) throw new TemplateError(`'${text.slice(1)}' lacks a closing parenthesis`);
  return at + closing.index + 1;
}
