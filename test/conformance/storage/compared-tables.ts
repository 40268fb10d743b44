import type { TableClient, TransactionAction } from "@azure/data-tables";

import { startStorage, type StorageServer } from "../../../local/storage/server.ts";
import { noRetries, refusal, tableNamed } from "../../support/storage-clients.ts";

export interface Key {
  readonly partitionKey: string;
  readonly rowKey: string;
}

type Mode = "Merge" | "Replace";
/** `current` and `stale` are what a client holds that read the row lately, or before it was written again. */
type Match = "any" | "current" | "stale";

export type Write =
  | { readonly kind: "create"; readonly key: Key; readonly n: number }
  | {
      readonly kind: "update";
      readonly key: Key;
      readonly n: number;
      readonly mode: Mode;
      readonly match: Match;
    }
  | { readonly kind: "upsert"; readonly key: Key; readonly n: number; readonly mode: Mode }
  | { readonly kind: "delete"; readonly key: Key; readonly match: Match };

export type Command =
  | Write
  | { readonly kind: "get"; readonly key: Key }
  | { readonly kind: "list"; readonly filter: string | undefined; readonly pageSize: number }
  | { readonly kind: "transaction"; readonly partitionKey: string; readonly writes: readonly Write[] }
  | { readonly kind: "create the table anew" }
  | { readonly kind: "restart" };

type Page = Record<string, unknown>[] & { readonly continuationToken?: string };

const strange = `W/"datetime'2020-01-01T00%3A00%3A00.0000000Z'"`;
const nameOf = ({ partitionKey, rowKey }: Key): string => JSON.stringify([partitionKey, rowKey]);

/**
 * One table of one storage, and what its commands answered, in a form that does not depend on when they were given: an
 * ETag is told by how many different ones its row had before.
 */
export class ComparedTable {
  readonly #options: { readonly dataDir: string; readonly plainTables: boolean };
  readonly #etags = new Map<string, string[]>();
  #storage: StorageServer | undefined;
  #client: TableClient | undefined;

  constructor(dataDir: string, plainTables: boolean) {
    this.#options = { dataDir, plainTables };
  }

  async start(): Promise<void> {
    this.#storage = await startStorage(this.#options);
    this.#client = tableNamed(this.#storage.connectionString, "Compared", noRetries);
    await this.#client.createTable();
  }

  async stop(): Promise<void> {
    await this.#storage?.stop();
  }

  async answer(command: Command): Promise<unknown> {
    const call = this.#run(command);
    return call.catch(() => refusal(call));
  }

  get #table(): TableClient {
    if (this.#client === undefined) throw new Error("The storage has not started.");
    return this.#client;
  }

  #run(command: Command): Promise<unknown> {
    switch (command.kind) {
      case "get":
        return this.#get(command.key);
      case "list":
        return this.#pages(command.filter, command.pageSize);
      case "transaction":
        return this.#transaction(command.partitionKey, command.writes);
      case "create the table anew":
        return this.#table.deleteTable().then(() => this.#table.createTable());
      case "restart":
        return this.stop().then(() => this.start());
      default:
        return this.#write(command);
    }
  }

  async #get({ partitionKey, rowKey }: Key): Promise<unknown> {
    return this.#seen(await this.#table.getEntity(partitionKey, rowKey));
  }

  async #write(write: Write): Promise<unknown> {
    const table = this.#table;
    const { key, kind } = write;
    const row = rowOf(write);
    if (kind === "create") return this.#etagOf(key, await table.createEntity(row));
    if (kind === "upsert") return this.#etagOf(key, await table.upsertEntity(row, write.mode));
    const etag = this.#held(key, write.match);
    if (kind === "update") return this.#etagOf(key, await table.updateEntity(row, write.mode, { etag }));
    await table.deleteEntity(key.partitionKey, key.rowKey, { etag });
    return "deleted";
  }

  async #transaction(partitionKey: string, writes: readonly Write[]): Promise<unknown> {
    const actions = writes.map((write): TransactionAction => {
      const row = { ...rowOf(write), partitionKey };
      if (write.kind === "create") return ["create", row];
      if (write.kind === "delete") return ["delete", row];
      if (write.kind === "upsert") return ["upsert", row, write.mode];
      return ["update", row, write.mode, { etag: this.#held(row, write.match) }];
    });
    const { status, subResponses } = await this.#table.submitTransaction(actions);
    return [
      status,
      ...subResponses.map((part, index) => [
        part.status,
        this.#etagOf({ partitionKey, rowKey: writes[index]?.key.rowKey ?? "" }, part),
      ]),
    ];
  }

  /** Every page with an iterator of its own, as somebody reads them who comes back with a token. */
  async #pages(filter: string | undefined, maxPageSize: number): Promise<unknown> {
    const pages: unknown[] = [];
    for (let token: string | undefined; ;) {
      const listed = this.#table.listEntities({ queryOptions: filter === undefined ? {} : { filter } });
      const options = { maxPageSize, ...(token !== undefined && { continuationToken: token }) };
      const { value } = (await listed.byPage(options).next()) as { value?: Page };
      const page = value ?? [];
      token = page.continuationToken;
      pages.push([...page.map((row) => this.#seen(row)), token]);
      if (token === undefined) return pages;
    }
  }

  #seen(row: Record<string, unknown>): unknown {
    const { timestamp: _timestamp, "odata.metadata": _metadata, ...stored } = row;
    const key = { partitionKey: String(row["partitionKey"]), rowKey: String(row["rowKey"]) };
    return { ...stored, etag: this.#etagOf(key, row) };
  }

  #etagOf(key: Key, { etag }: { readonly etag?: unknown }): number | undefined {
    if (typeof etag !== "string") return undefined;
    const held = this.#etags.get(nameOf(key)) ?? [];
    if (!held.includes(etag)) this.#etags.set(nameOf(key), [...held, etag]);
    return this.#etags.get(nameOf(key))?.indexOf(etag);
  }

  #held(key: Key, match: Match): string {
    const held = this.#etags.get(nameOf(key)) ?? [];
    return match === "any" ? "*" : ((match === "current" ? held.at(-1) : held.at(-2)) ?? strange);
  }
}

/** Each kind of write leaves a property of its own, so that what merged and what replaced can be told apart. */
function rowOf(write: Write): Key & Record<string, unknown> {
  const { key, kind } = write;
  return "n" in write ? { ...key, n: write.n, [`${kind}d`]: `${write.n}` } : { ...key };
}
