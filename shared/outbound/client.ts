import { lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";

import type { Agent, buildConnector } from "undici";

import type { SettingValues } from "../settings.ts";
import { createGuard, type Guard, type Refusal } from "./guard.ts";

/** What every request to the outside goes through: connections that are kept, to addresses that were looked at. */
export interface OutboundClient {
  readonly guard: Guard;
  /** Made when first asked for: loading undici would cost every cold start 30 to 100 ms. */
  readonly agent: () => Promise<Agent>;
  readonly close: () => Promise<void>;
}

export interface OutboundOptions {
  readonly lookup?: LookupFunction;
  readonly connectTimeoutMs?: number;
  /** Authorities trusted beside those that Node knows. */
  readonly ca?: string;
}

/** More to one vendor at once than this waits in line: a host runs hundreds of operations side by side. */
const connectionsPerOrigin = 128;

export function createOutboundClient(settings: SettingValues, options: OutboundOptions = {}): OutboundClient {
  const guard = createGuard(settings.OUTBOUND_ALLOW);
  let made: Promise<Agent> | undefined;
  return {
    guard,
    agent: () => (made ??= createAgent(guard, options)),
    close: async () => {
      await (await made)?.destroy();
    },
  };
}

async function createAgent(guard: Guard, options: OutboundOptions): Promise<Agent> {
  const undici = await import("undici");
  const timeout = options.connectTimeoutMs ?? 10_000;
  const trusted = options.ca === undefined ? {} : { ca: [...(await rootCertificates()), options.ca] };
  const common = { timeout, minVersion: "TLSv1.2", rejectUnauthorized: true, ...trusted } as const;
  const resolve = options.lookup ?? systemLookup;
  const connectors: Readonly<Record<string, buildConnector.connector>> = {
    "https:": undici.buildConnector({ ...common, lookup: guardedLookup(guard, true, resolve) }),
    "http:": undici.buildConnector({ ...common, lookup: guardedLookup(guard, false, resolve) }),
  };
  return new undici.Agent({
    connections: connectionsPerOrigin,
    pipelining: 1,
    connect: (target, callback) => {
      // A lookup is never asked about an address, so an address is judged here and a name when it is resolved.
      const { hostname, protocol } = target;
      const refusal =
        isIP(hostname) === 0
          ? undefined
          : guard.refuseAddress(hostname, { hostname, secure: protocol === "https:" });
      const connect = connectors[protocol];
      if (refusal !== undefined || connect === undefined) {
        callback(new RefusedError(refusal ?? "URL_INVALID"), null);
      } else connect(target, callback);
    },
  });
}

/**
 * Resolves a name and leaves only addresses that may be reached. The socket is opened to what this answers and to
 * nothing else, so a name that resolves differently a moment later gains nothing.
 */
function guardedLookup(guard: Guard, secure: boolean, resolve: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const all = typeof found === "string" ? [{ address: found, family: isIP(found) }] : found;
      const refusals = all.map(({ address }) => guard.refuseAddress(address, { hostname, secure }));
      const open = all.filter((_, index) => refusals[index] === undefined);
      const [first] = open;
      if (first === undefined) return callback(new RefusedError(refusals[0] ?? "ADDRESS_BLOCKED"), []);
      return options.all === true ? callback(null, open) : callback(null, first.address, first.family);
    });
  };
}

class RefusedError extends Error {
  readonly code: Refusal;

  constructor(code: Refusal) {
    super("The guard does not let requests go there.");
    this.code = code;
  }
}

async function rootCertificates(): Promise<readonly string[]> {
  return (await import("node:tls")).rootCertificates;
}
