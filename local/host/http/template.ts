import { type Parameter, parseParameter } from "./parameter.ts";
import { TemplateError } from "./template-error.ts";

export interface Literal {
  readonly kind: "literal";
  readonly text: string;
}

export type Part = Literal | Parameter;

/** What stands between two slashes: one part, or several such as `{name}.{ext}`. */
export interface Segment {
  readonly parts: readonly Part[];
  /** How to take a segment of several parts apart, in the order to try. */
  readonly patterns: readonly RegExp[];
}

/** A route as ASP.NET writes it. */
export interface RouteTemplate {
  readonly text: string;
  readonly segments: readonly Segment[];
}

/** An escaped brace, a parameter, a slash, or a run of anything else. */
const token = /\{\{|\}\}|\{((?:[^{}]|\{\{|\}\})*)\}|\/|[^{}/]+/y;

export function parseTemplate(text: string): RouteTemplate {
  if (/^[/~]/.test(text)) throw new TemplateError(`it starts with '${text[0]}'`);
  const segments: Part[][] = [[]];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null)
      throw new TemplateError("a brace has no partner (write {{ or }} for the brace itself)");
    if (match[0] === "/") segments.push([]);
    else add(segments.at(-1) ?? [], match[0], match[1]);
  }
  if (segments.at(-1)?.length === 0) segments.pop();
  check(segments);
  return { text, segments: segments.map((parts) => ({ parts, patterns: patternsOf(parts) })) };
}

export function parametersOf(template: RouteTemplate): Parameter[] {
  return template.segments.flatMap(({ parts }) => parts.filter((part) => part.kind === "parameter"));
}

/** Equal for two templates that match the same paths, whatever their parameters are called. */
export function shapeOf(template: RouteTemplate): string {
  return template.segments.map(({ parts }) => parts.map(shapeOfPart).join("")).join("/");
}

function shapeOfPart(part: Part): string {
  if (part.kind === "literal") return part.text.toLowerCase();
  const constraints = part.constraints.map(({ text }) => `:${text}`).join("");
  return `{${part.catchAll ? "*" : ""}${constraints}${part.optional ? "?" : ""}}`;
}

function add(parts: Part[], text: string, parameter: string | undefined): void {
  if (parameter !== undefined) {
    parts.push(parseParameter(parameter));
    return;
  }
  const literal = text === "{{" ? "{" : text === "}}" ? "}" : text;
  if (literal.includes("?")) throw new TemplateError("a '?' stands outside braces");
  const last = parts.at(-1);
  if (last?.kind === "literal") parts[parts.length - 1] = { kind: "literal", text: last.text + literal };
  else parts.push({ kind: "literal", text: literal });
}

function check(segments: readonly Part[][]): void {
  const names = new Set<string>();
  for (const [index, parts] of segments.entries()) {
    if (parts.length === 0) throw new TemplateError("two slashes follow each other");
    for (const [place, part] of parts.entries()) {
      if (part.kind === "literal") continue;
      if (names.has(part.name.toLowerCase())) throw new TemplateError(`{${part.name}} stands there twice`);
      names.add(part.name.toLowerCase());
      if (part.catchAll && (index < segments.length - 1 || parts.length > 1)) {
        throw new TemplateError(`catch-all {${part.name}} must be the whole last segment`);
      }
      if (parts.length > 1) checkNeighbours(parts, place, part);
    }
  }
}

function checkNeighbours(parts: readonly Part[], place: number, part: Parameter): void {
  const before = parts[place - 1];
  if (before?.kind === "parameter") {
    throw new TemplateError(`nothing separates {${before.name}} from {${part.name}}`);
  }
  if (part.optional && (place < parts.length - 1 || before?.text !== ".")) {
    throw new TemplateError(`optional {${part.name}} must end its segment, after a '.'`);
  }
}

/** Earlier parameters take as much as they can; an optional end may be missing with its dot. */
function patternsOf(parts: readonly Part[]): RegExp[] {
  if (parts.length < 2) return [];
  const last = parts.at(-1);
  const patterns = [patternOf(parts)];
  if (last?.kind === "parameter" && last.optional) patterns.push(patternOf(parts.slice(0, -2), "(?<!\\.)"));
  return patterns;
}

function patternOf(parts: readonly Part[], end = ""): RegExp {
  const source = parts.map((part) => (part.kind === "literal" ? escaped(part.text) : "(.+)")).join("");
  return new RegExp(`^${source}${end}$`, "is");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
