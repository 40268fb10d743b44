/**
 * The parts of Azurite that run its servers inside another program. They are not its public interface and it ships no
 * declarations for them; all of it belongs to azurite 3.35.0: the version is pinned, and the conformance suite is the
 * guard for a change of it. A module's class is the `default` of what a `require` of it gives.
 */
declare module "azurite/dist/src/table/TableServer.js" {
  import type { Server } from "node:http";

  import type { TableConfiguration } from "azurite/dist/src/table/TableConfiguration.js";

  export interface AzuriteServer {
    readonly httpServer: Server;
    start(): Promise<void>;
    /** Saves everything it holds; the process may end once it resolves. */
    close(): Promise<void>;
  }
  const module: { readonly default: new (configuration: TableConfiguration) => AzuriteServer };
  export default module;
}
declare module "azurite/dist/src/table/TableConfiguration.js" {
  export type TableConfiguration = { readonly metadataDBPath: string };
  const module: {
    readonly default: new (
      host: string,
      port: number,
      keepAliveSeconds: number,
      metadataPath: string,
      debugLog: boolean,
      accessLog: boolean,
      accessLogStream: undefined,
      debugLogPath: undefined,
      loose: boolean,
      skipApiVersionCheck: boolean,
      cert: string,
      key: string,
      password: string,
      oauth: undefined,
      disableProductStyleUrl: boolean,
      inMemory: boolean,
    ) => TableConfiguration;
  };
  export default module;
}
declare module "azurite/dist/src/blob/BlobServer.js" {
  import type { BlobConfiguration } from "azurite/dist/src/blob/BlobConfiguration.js";
  import type { AzuriteServer } from "azurite/dist/src/table/TableServer.js";

  const module: { readonly default: new (configuration: BlobConfiguration) => AzuriteServer };
  export default module;
}
declare module "azurite/dist/src/blob/BlobConfiguration.js" {
  export type BlobConfiguration = { readonly extentDBPath: string };
  const module: {
    readonly default: new (
      host: string,
      port: number,
      keepAliveSeconds: number,
      metadataPath: string,
      extentPath: string,
      extents: readonly {
        readonly locationId: string;
        readonly locationPath: string;
        readonly maxConcurrency: number;
      }[],
      accessLog: boolean,
      accessLogStream: undefined,
      debugLog: boolean,
      debugLogPath: undefined,
      loose: boolean,
      skipApiVersionCheck: boolean,
      cert: string,
      key: string,
      password: string,
      oauth: undefined,
      disableProductStyleUrl: boolean,
      inMemory: boolean,
    ) => BlobConfiguration;
  };
  export default module;
}
