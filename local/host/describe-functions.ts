import type { Host } from "./host.ts";

/** The app's functions and how to reach them, the way func lists them. */
export function describeFunctions(host: Pick<Host, "functions" | "routes">): string {
  const routes = new Map(host.routes().map((route) => [route.name, route]));
  const lines = host.functions
    .toSorted((one, other) => one.name.localeCompare(other.name))
    .map((fn) => {
      if (fn.disabled) return `${fn.name}: disabled`;
      const route = routes.get(fn.name);
      if (route === undefined) return `${fn.name}: ${fn.triggerType}`;
      return `${fn.name}: [${route.methods.join(",")}] ${route.url}`;
    });
  if (lines.length === 0) return "\nNo functions found: did the app register any?\n\n";
  return `\nFunctions:\n\n${lines.map((line) => `\t${line}\n`).join("\n")}\n`;
}
