import type { HostedFunction } from "../functions.ts";
import { StartError } from "../../start-error.ts";
import { matchTemplate, type RouteValues } from "./match.ts";
import type { RoutePath } from "./route-path.ts";
import { parseTemplate, type RouteTemplate, type Segment, shapeOf } from "./template.ts";
import { TemplateError } from "./template-error.ts";

export interface Route {
  readonly fn: HostedFunction;
  /** Undefined: every method. */
  readonly methods: readonly string[] | undefined;
  readonly template: RouteTemplate;
}

export interface RouteMatch {
  readonly route: Route;
  readonly values: RouteValues;
}

export interface Router {
  readonly routes: readonly Route[];
  find(method: string, path: RoutePath): RouteMatch | undefined;
}

/** Routes of all enabled HTTP functions, the most particular template first. */
export function createRouter(functions: readonly HostedFunction[], prefix: string): Router {
  const routes = functions
    .filter((fn) => fn.triggerType === "httpTrigger" && !fn.disabled)
    .map((fn) => routeOf(fn, prefix));
  refuseClashes(routes);
  const ordered = routes.toSorted((a, b) => compareDigits(digitsOf(a.template), digitsOf(b.template)));
  return {
    routes,
    find(method, path) {
      for (const route of ordered) {
        if (route.methods !== undefined && !route.methods.includes(method)) continue;
        const values = matchTemplate(route.template, path);
        if (values !== undefined) return { route, values };
      }
      return undefined;
    },
  };
}

function routeOf(fn: HostedFunction, prefix: string): Route {
  const { route, methods } = fn.trigger;
  const own = typeof route === "string" && route.trim() !== "" ? route : fn.name;
  refuseReserved(fn, own, prefix);
  const text = prefix === "" ? own : `${prefix}/${own}`;
  try {
    parseTemplate(own);
    return { fn, methods: methodList(methods), template: parseTemplate(text) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new StartError(`Function '${fn.name}': route '${own}' is not a route template: ${error.message}`);
  }
}

function methodList(methods: unknown): string[] | undefined {
  if (!Array.isArray(methods) || methods.length === 0) return undefined;
  return methods.map((method) => String(method).toUpperCase());
}

/** The platform refuses whatever starts with "admin", behind any prefix; its webhooks live below /runtime. */
function refuseReserved(fn: HostedFunction, route: string, prefix: string): void {
  const text = route.toLowerCase();
  const first = text.split("/", 1)[0];
  const reserved = text.startsWith("admin")
    ? "admin"
    : prefix === "" && first === "runtime"
      ? first
      : undefined;
  if (reserved === undefined) return;
  throw new StartError(
    `Function '${fn.name}': route '${route}' is reserved: the platform keeps routes that start with '${reserved}' to itself; choose another`,
  );
}

function refuseClashes(routes: readonly Route[]): void {
  const seen = new Map<string, Route[]>();
  for (const route of routes) {
    const shape = shapeOf(route.template);
    const others = seen.get(shape) ?? [];
    const other = others.find((candidate) => overlap(candidate.methods, route.methods));
    if (other !== undefined) {
      throw new StartError(
        `Functions '${other.fn.name}' and '${route.fn.name}' both answer route '${route.template.text}': give one another route or other methods`,
      );
    }
    seen.set(shape, [...others, route]);
  }
}

function overlap(a: readonly string[] | undefined, b: readonly string[] | undefined): boolean {
  return a === undefined || b === undefined || a.some((method) => b.includes(method));
}

/** ASP.NET's inbound precedence, one digit a segment; a lower digit, or none at all, goes first. */
function digitsOf(template: RouteTemplate): number[] {
  return template.segments.map(digitOf);
}

function digitOf({ parts }: Segment): number {
  const [part] = parts;
  if (parts.length > 1 || part === undefined) return 2;
  if (part.kind === "literal") return 1;
  const constrained = part.constraints.length > 0;
  if (part.catchAll) return constrained ? 5 : 6;
  return constrained ? 3 : 4;
}

function compareDigits(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
