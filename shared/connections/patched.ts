import { checkSettings } from "./check-settings.ts";
import type { Connection, RateLimit } from "./connection.ts";

/** What of a connection can change. `null` takes the rate limit away. */
export type ConnectionPatch = Partial<
  Pick<
    Connection,
    | "name"
    | "schemeConfig"
    | "normaliserConfig"
    | "pattern"
    | "onUnmatched"
    | "allowedIps"
    | "maxBodyBytes"
    | "enabled"
  >
> & { readonly rateLimit?: RateLimit | null };

/** The connection with what the patch names; refuses what does not fit its source and scheme. */
export function patched(current: Connection, { rateLimit, ...patch }: ConnectionPatch): Connection {
  const { rateLimit: held, ...rest } = current;
  const limit = rateLimit === undefined ? held : (rateLimit ?? undefined);
  const connection = { ...rest, ...patch, ...(limit !== undefined && { rateLimit: limit }) };
  checkSettings(connection);
  return connection;
}
