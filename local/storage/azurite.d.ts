/**
 * The parts of Azurite that run its servers inside another program. They are not its public interface and it ships no
 * declarations for them; all of it belongs to azurite 3.35.0: the version is pinned, and the conformance suite is the
 * guard for a change of it. A module's class is the `default` of what a `require` of it gives.
 */
declare module "azurite/dist/src/common/ServerBase.js" {
  import type { Server } from "node:http";

  export interface AzuriteServer {
    readonly httpServer: Server;
    start(): Promise<void>;
    /** Saves everything it holds; the process may end once it resolves. */
    close(): Promise<void>;
  }

  /** Where a server keeps the bytes that its metadata points to. */
  export interface Extent {
    readonly locationId: string;
    readonly locationPath: string;
    readonly maxConcurrency: number;
  }

  export type Address = readonly [host: string, port: number, keepAliveSeconds: number];
  export type Security = readonly [
    loose: boolean,
    skipApiVersionCheck: boolean,
    cert: string,
    key: string,
    password: string,
    oauth: undefined,
    disableProductStyleUrl: boolean,
    inMemory: boolean,
  ];
  /** Of blobs and queues alike. */
  export type ExtentArguments = readonly [
    ...address: Address,
    metadataPath: string,
    extentPath: string,
    extents: readonly Extent[],
    accessLog: boolean,
    accessLogStream: undefined,
    debugLog: boolean,
    debugLogPath: undefined,
    ...security: Security,
  ];
}
declare module "azurite/dist/src/table/TableServer.js" {
  import type { AzuriteServer } from "azurite/dist/src/common/ServerBase.js";
  import type { TableConfiguration } from "azurite/dist/src/table/TableConfiguration.js";

  import type { TableStore } from "azurite/dist/src/table/persistence/LokiTableMetadataStore.js";

  export interface TableServer extends AzuriteServer {
    readonly metadataStore: TableStore;
  }
  const module: { readonly default: new (configuration: TableConfiguration) => TableServer };
  export default module;
}
/** Every table is a collection of LokiJS, every row a document of it. */
declare module "azurite/dist/src/table/persistence/LokiTableMetadataStore.js" {
  export interface Document {
    /** Its number in the collection, until it is removed. */
    readonly $loki: number;
  }

  export interface EntityRow extends Document {
    readonly PartitionKey: string;
    readonly RowKey: string;
  }

  /** A query under way. */
  export interface EntityRows {
    readonly where: (predicate: (row: EntityRow) => unknown) => EntityRows;
    readonly sort: (compare: (one: EntityRow, other: EntityRow) => number) => EntityRows;
    readonly limit: (count: number) => EntityRows;
    /** A new array, which the caller may change. */
    readonly data: () => EntityRow[];
  }

  export interface Collection<Row extends Document = Document> {
    readonly name: string;
    /** In the order of their numbers. */
    data: readonly Row[];
    /** The greatest number given so far. */
    maxId: number;
    /** Made of `data` when it is wanted and not there. */
    idIndex: readonly number[] | null;
    readonly ensureAllIndexes: (anew: boolean) => void;
    /** Listeners run before the call that changed something returns; those of updates also get the row as it was. */
    readonly on: (event: "insert" | "update" | "delete", listener: (row: Row, before: Row) => void) => void;
  }

  export interface EntityCollection extends Collection<EntityRow> {
    /** Sorted positions in `data`, by the name of the property they are sorted by. */
    binaryIndices: Readonly<Record<string, unknown>>;
    findOne: (wanted: Readonly<Record<string, unknown>>) => EntityRow | null;
    readonly chain: () => EntityRows;
  }

  export interface Database {
    readonly collections: readonly Collection[];
    /** Answers with the one of that name, if there is one. */
    addCollection: (name: string, options?: object) => Collection;
    removeCollection: (name: string) => void;
  }

  type Operation = (...given: unknown[]) => Promise<unknown>;

  export interface TableStore {
    readonly db: Database;
    init: () => Promise<void>;
    close: () => Promise<void>;
    createTable: Operation;
    deleteTable: Operation;
    setTableACL: Operation;
    setServiceProperties: Operation;
    insertTableEntity: Operation;
    insertOrUpdateTableEntity: Operation;
    insertOrMergeTableEntity: Operation;
    deleteTableEntity: Operation;
    beginBatchTransaction: (batchId: string) => Promise<void>;
    endBatchTransaction: Operation;
    getEntityCollection: (account: string, table: string, context: unknown) => EntityCollection;
    queryTableEntities: (
      this: TableStore,
      context: unknown,
      account: string,
      table: string,
      options: { readonly filter?: string },
      ...next: readonly [partitionKey: string | undefined, rowKey: string | undefined]
    ) => Promise<unknown>;
  }
}
declare module "azurite/dist/src/table/persistence/QueryInterpreter/QueryParser.js" {
  /** A node of the tree that a filter is parsed into. */
  export interface FilterNode {
    readonly name: string;
    /** Of operators, as far as they have them. */
    readonly left?: FilterNode;
    readonly right?: FilterNode;
    /** Of `id`. */
    readonly identifier?: string;
    /** Of `constant`. */
    readonly value?: unknown;
  }
  const module: { readonly default: (filter: string) => FilterNode };
  export default module;
}
declare module "azurite/dist/src/table/TableConfiguration.js" {
  import type { Address, Security } from "azurite/dist/src/common/ServerBase.js";

  export type TableConfiguration = { readonly metadataDBPath: string };
  type Arguments = readonly [
    ...address: Address,
    metadataPath: string,
    debugLog: boolean,
    accessLog: boolean,
    accessLogStream: undefined,
    debugLogPath: undefined,
    ...security: Security,
  ];
  const module: { readonly default: new (...settings: Arguments) => TableConfiguration };
  export default module;
}
declare module "azurite/dist/src/blob/BlobServer.js" {
  import type { BlobConfiguration } from "azurite/dist/src/blob/BlobConfiguration.js";
  import type { AzuriteServer } from "azurite/dist/src/common/ServerBase.js";

  const module: { readonly default: new (configuration: BlobConfiguration) => AzuriteServer };
  export default module;
}
declare module "azurite/dist/src/blob/BlobConfiguration.js" {
  import type { ExtentArguments } from "azurite/dist/src/common/ServerBase.js";

  export type BlobConfiguration = { readonly extentDBPath: string };
  const module: { readonly default: new (...settings: ExtentArguments) => BlobConfiguration };
  export default module;
}
declare module "azurite/dist/src/queue/QueueServer.js" {
  import type { AzuriteServer } from "azurite/dist/src/common/ServerBase.js";
  import type { QueueConfiguration } from "azurite/dist/src/queue/QueueConfiguration.js";

  const module: { readonly default: new (configuration: QueueConfiguration) => AzuriteServer };
  export default module;
}
declare module "azurite/dist/src/queue/QueueConfiguration.js" {
  import type { ExtentArguments } from "azurite/dist/src/common/ServerBase.js";

  export type QueueConfiguration = { readonly extentDBPath: string };
  const module: { readonly default: new (...settings: ExtentArguments) => QueueConfiguration };
  export default module;
}
