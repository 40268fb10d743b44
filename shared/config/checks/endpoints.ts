import { formatPath } from "../../json/paths.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import type { Endpoint, RouteConfig } from "../route-schema.ts";

type Steps = readonly (string | number)[];

/** Addresses that can be called, and credentials that are named and complete. */
export function checkEndpoints(config: RouteConfig): Diagnostic[] {
  const ofEndpoints = Object.entries(config.endpoints ?? {}).flatMap(([key, endpoint]) => {
    const at = ["endpoints", key];
    return [
      ...checkAddress([...at, "url"], endpoint.url),
      ...checkAuth([...at, "auth"], endpoint.auth),
      ...checkHeaders([...at, "headers"], endpoint.headers),
    ];
  });
  const ofRoutes = config.routes.flatMap(({ operation }, index) => {
    const at = ["routes", index, "operation"];
    return [
      ...checkHeaders([...at, "headers"], operation.headers),
      ...checkHeaders([...at, "lookup", "headers"], operation.lookup?.headers),
    ];
  });
  return [...ofEndpoints, ...ofRoutes];
}

/** Whether the address is one the platform may call is decided where it is called, by what its name then resolves to. */
function checkAddress(at: Steps, url: string): Diagnostic[] {
  const { protocol, username, password, hash, search } = new URL(url);
  const bad = (message: string): Diagnostic => diagnostic("BAD_ADDRESS", formatPath(at), message);
  if (protocol !== "https:" && protocol !== "http:")
    return [bad("An endpoint is reached by https, or by http.")];
  return [
    ...(username === "" && password === ""
      ? []
      : [secret(at, "The address holds a user name or password; use auth with a secretName.")]),
    ...(hash === "" && search === ""
      ? []
      : [bad("The query belongs into the operation's path, and # means nothing.")]),
    ...(protocol === "https:"
      ? []
      : [diagnostic("PLAIN_HTTP", formatPath(at), "Anybody on the way can read what is sent by http.")]),
  ];
}

function checkAuth(at: Steps, auth: Endpoint["auth"]): Diagnostic[] {
  const missing = { basic: "username", header: "header", bearer: undefined }[auth?.scheme ?? "bearer"];
  if (auth === undefined || missing === undefined) return [];
  if ((missing === "username" ? auth.username : auth.header) !== undefined) return [];
  const message = `The scheme ${auth.scheme} needs ${missing}.`;
  return [diagnostic("AUTH_INCOMPLETE", formatPath([...at, missing]), message)];
}

/** Headers whose value is a credential, and headers that the sender of a request sets itself. */
const secretHeaders = ["authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"];
const ownHeaders = ["host", "content-length", "transfer-encoding", "connection", "upgrade", "expect", "te"];

function checkHeaders(at: Steps, headers: Readonly<Record<string, string>> = {}): Diagnostic[] {
  return Object.keys(headers).flatMap((name) => {
    const lower = name.toLowerCase();
    if (secretHeaders.includes(lower)) {
      return [
        secret([...at, name], "This header carries a secret; use the endpoint's auth with a secretName."),
      ];
    }
    if (!ownHeaders.includes(lower)) return [];
    return [diagnostic("BAD_ADDRESS", formatPath([...at, name]), `${name} is set by the platform itself.`)];
  });
}

function secret(at: Steps, message: string): Diagnostic {
  return diagnostic("SECRET_IN_CONFIG", formatPath(at), message);
}
