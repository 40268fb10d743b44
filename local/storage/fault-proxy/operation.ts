/** What a request asks of the service, as far as counting, matching and limits need to know. */
export type Operation = TableOperation | BlobOperation;

export const tableKinds = [
  "insert",
  "update",
  "merge",
  "delete",
  "get",
  "query",
  "batch",
  "createTable",
  "deleteTable",
  "listTables",
  "other",
] as const;
export type TableKind = (typeof tableKinds)[number];

export const blobKinds = [
  "put",
  "putBlock",
  "putBlockList",
  "get",
  "head",
  "delete",
  "list",
  "lease",
  "createContainer",
  "deleteContainer",
  "other",
] as const;
export type BlobKind = (typeof blobKinds)[number];

export type Entity = Readonly<Record<string, unknown>>;

export interface TableOperation {
  readonly service: "table";
  readonly kind: TableKind;
  /** The table's name; empty when the operation is about none, or about several. */
  readonly resource: string;
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** What is to be stored, for an insert, update or merge. */
  readonly entity?: Entity;
  /** Of a query: how many rows it wants at most. */
  readonly top?: number;
  /** The operations of a batch, in their order. */
  readonly inner?: readonly TableOperation[];
}

export interface BlobOperation {
  readonly service: "blob";
  readonly kind: BlobKind;
  /** The container's name. */
  readonly resource: string;
  readonly blob?: string;
}
