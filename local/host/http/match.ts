import type { RoutePath } from "./route-path.ts";
import { parametersOf, type RouteTemplate, type Segment } from "./template.ts";

export type RouteValues = Readonly<Record<string, string>>;

/** The values a path gives to a template's parameters; undefined when the path does not fit. */
export function matchTemplate(template: RouteTemplate, path: RoutePath): RouteValues | undefined {
  const values = capture(template, path);
  return values === undefined ? undefined : complete(template, values);
}

function capture(template: RouteTemplate, path: RoutePath): Map<string, string> | undefined {
  const values = new Map<string, string>();
  for (const [index, segment] of template.segments.entries()) {
    const only = segment.parts.length === 1 ? segment.parts[0] : undefined;
    if (only?.kind === "parameter" && only.catchAll) {
      const rest = path.segments.slice(index).join("/");
      if (rest !== "") values.set(only.name, path.trailingSlash ? `${rest}/` : rest);
      return values;
    }
    const text = path.segments[index] ?? "";
    if (text === "") {
      const dispensable = only?.kind === "parameter" && (only.optional || only.defaultValue !== undefined);
      if (!dispensable) return undefined;
    } else if (only === undefined) {
      if (!captureComplex(segment, text, values)) return undefined;
    } else if (only.kind === "parameter") {
      values.set(only.name, text);
    } else if (only.text.toLowerCase() !== text.toLowerCase()) {
      return undefined;
    }
  }
  return path.segments.length > template.segments.length ? undefined : values;
}

function captureComplex(segment: Segment, text: string, values: Map<string, string>): boolean {
  for (const pattern of segment.patterns) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const names = segment.parts.flatMap((part) => (part.kind === "parameter" ? [part.name] : []));
    for (const [index, name] of names.entries()) {
      const value = match[index + 1];
      if (value !== undefined) values.set(name, value);
    }
    return true;
  }
  return false;
}

/** Fills in defaults and asks the constraints, which an absent optional parameter escapes. */
function complete(template: RouteTemplate, captured: Map<string, string>): RouteValues | undefined {
  const values: Record<string, string> = {};
  for (const { name, optional, catchAll, defaultValue, constraints } of parametersOf(template)) {
    const value = captured.get(name) ?? defaultValue;
    if (value === undefined) {
      if (optional || (catchAll && constraints.length === 0)) continue;
      return undefined;
    }
    if (!constraints.every((constraint) => constraint.accepts(value))) return undefined;
    values[name] = value;
  }
  return values;
}
