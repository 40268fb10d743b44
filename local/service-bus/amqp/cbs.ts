import { textOf } from "../codec/message-content.ts";
import { parseAddress } from "../entities/address.ts";
import type { Broker } from "../entities/broker.ts";
import { entityNotFound, invalidArgument, notImplemented, unauthorized } from "../errors.ts";
import type { BusConnection } from "./connection.ts";
import type { Reply, Request } from "./request.ts";
import { checkToken, pathOf, type SasKey } from "./sas-token.ts";

/**
 * Claims-based security: a client puts a token for each entity before it opens a link. An unknown entity is reported
 * here already, because a client that learns of it only at the attach gives other errors for some operations.
 */
export function putToken(
  connection: BusConnection,
  broker: Broker,
  key: SasKey | undefined,
  request: Request,
): Reply {
  const operation = request.properties.get("operation");
  if (operation !== "put-token") throw notImplemented(textOf(operation ?? null) ?? "");
  const audience = request.properties.get("name");
  if (typeof audience !== "string" || typeof request.body !== "string")
    throw invalidArgument("The token is missing.");
  const until = checkToken(request.body, audience, key, broker.clock.now());
  if (!broker.find(parseAddress(audience))) throw entityNotFound(audience);
  connection.tokens.set(pathOf(audience), until);
  return { status: 202, description: "Accepted" };
}

/** Whether the connection has shown a token for an address; only asked for when tokens are checked. */
export function checkAuthorized(
  connection: BusConnection,
  address: string,
  key: SasKey | undefined,
  now: number,
): void {
  if (!key) return;
  const wanted = pathOf(address);
  for (const [path, until] of connection.tokens) {
    if (until > now && (path === wanted || wanted.startsWith(`${path}/`))) return;
  }
  throw unauthorized(`No valid token was put for '${address}'.`);
}
