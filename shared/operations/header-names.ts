/** These belong to the connection, and whoever sets them can make one request look like two. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Why a route may not set this header, or undefined. */
export function headerProblem(name: string): string | undefined {
  if (connectionHeaders.has(name.toLowerCase()))
    return `${name} cannot be set: it belongs to the connection.`;
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ? undefined : "The name of a header is none.";
}
