import { createServer, type Server } from "node:http";

import { messageOf } from "../../start-error.ts";
import { accountUrl, connectionStringOf, type StorageUrls } from "../connection-string.ts";
import { listenOn } from "../../process/listen.ts";
import { OpenRequests } from "../../process/open-requests.ts";
import { Counter, type Counts } from "./counts.ts";
import { Exchange } from "./exchange.ts";
import { Rules } from "./rules.ts";
import { Upstream } from "./upstream.ts";

export interface FaultProxyOptions {
  /** The storage behind it. */
  readonly upstream: StorageUrls;
  /** 0, or nothing, takes a free port. */
  readonly tablePort?: number;
  readonly blobPort?: number;
  /** Azure's limits hold unless this is false. */
  readonly enforceLimits?: boolean;
  /** What rates are measured by. */
  readonly clock?: { now(): number };
  /** Told why a connection was broken that no rule meant to break. */
  readonly log?: (line: string) => void;
}

export interface FaultProxy extends StorageUrls {
  readonly connectionString: string;
  readonly rules: Rules;
  counts(): Counts;
  resetCounts(): void;
  stop(): Promise<void>;
}

/** Stands between clients and Table and Blob Storage: counts, breaks what its rules say, holds Azure's limits. */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const {
    upstream,
    tablePort = 0,
    blobPort = 0,
    enforceLimits = true,
    clock = Date,
    log = () => {},
  } = options;
  const rules = new Rules(() => clock.now());
  const counter = new Counter();
  const upstreams = { table: new Upstream(upstream.tableUrl), blob: new Upstream(upstream.blobUrl) };
  const serve = (service: "table" | "blob"): Server =>
    createServer((request, response) => {
      const exchange = new Exchange(request, response, upstreams[service], { rules, counter, enforceLimits });
      // Whatever fails between here and the storage looks to the client like a broken connection.
      exchange.run(service).catch((error: unknown) => {
        log(`A ${service} request broke off: ${messageOf(error)}`);
        request.socket.resetAndDestroy();
      });
    });

  const tables = serve("table");
  const blobs = serve("blob");
  const openRequests = [new OpenRequests(tables), new OpenRequests(blobs)];
  const urls = {
    tableUrl: accountUrl(await listenOn(tables, "127.0.0.1", tablePort, "The proxy for tables")),
    blobUrl: accountUrl(
      await listenOn(blobs, "127.0.0.1", blobPort, "The proxy for blobs").catch((error: unknown) => {
        tables.close();
        throw error;
      }),
    ),
  };
  return {
    ...urls,
    connectionString: connectionStringOf(urls),
    rules,
    counts: () => counter.snapshot(),
    resetCounts: () => counter.reset(),
    async stop() {
      await Promise.all(openRequests.map((requests) => requests.drain()));
      for (const each of Object.values(upstreams)) each.close();
    },
  };
}
