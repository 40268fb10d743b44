/** A request's path, decoded, as routes look at it. */
export interface RoutePath {
  readonly segments: readonly string[];
  /** Matters to catch-all parameters alone. */
  readonly trailingSlash: boolean;
}

/** Undefined for a path whose percent-encoding is broken. */
export function parseRoutePath(pathname: string): RoutePath | undefined {
  try {
    const segments = pathname.replace(/^\//, "").split("/").map(decoded);
    const trailingSlash = segments.at(-1) === "";
    return { segments: trailingSlash ? segments.slice(0, -1) : segments, trailingSlash };
  } catch {
    return undefined;
  }
}

/** An encoded slash stays encoded, as on the platform: decoded it would look like a border of segments. */
function decoded(segment: string): string {
  return decodeURIComponent(segment.replace(/%2f/gi, (slash) => `%25${slash.slice(1)}`));
}
