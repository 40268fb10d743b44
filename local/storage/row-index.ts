import type {
  EntityCollection,
  EntityRow,
  EntityRows,
} from "azurite/dist/src/table/persistence/LokiTableMetadataStore.js";

import type { FilterScope } from "./filter-scope.ts";

/**
 * The rows of one table by partition and row key. It listens to the collection, so whatever writes there (an operation,
 * the roll-back of a transaction) is followed, and holds the very documents the collection holds.
 */
export class RowIndex {
  readonly #partitions = new Map<string, Map<string, EntityRow>>();

  constructor(collection: EntityCollection) {
    for (const row of collection.data) this.#add(row);
    collection.on("insert", (row) => this.#add(row));
    collection.on("update", (row, before) => {
      this.#remove(before);
      this.#add(row);
    });
    collection.on("delete", (row) => this.#remove(row));
  }

  row(partitionKey: string, rowKey: string): EntityRow | null {
    return this.#partitions.get(partitionKey)?.get(rowKey) ?? null;
  }

  rowsIn({ partitionKey, rowKey }: FilterScope): Iterable<EntityRow> {
    if (rowKey === undefined) return this.#partitions.get(partitionKey)?.values() ?? [];
    const row = this.row(partitionKey, rowKey);
    return row === null ? [] : [row];
  }

  #add(row: EntityRow): void {
    const partition = this.#partitions.get(row.PartitionKey);
    if (partition === undefined) this.#partitions.set(row.PartitionKey, new Map([[row.RowKey, row]]));
    else partition.set(row.RowKey, row);
  }

  #remove({ PartitionKey, RowKey }: EntityRow): void {
    const partition = this.#partitions.get(PartitionKey);
    partition?.delete(RowKey);
    if (partition?.size === 0) this.#partitions.delete(PartitionKey);
  }
}

/** What a query asks of a collection, over some of its rows. As there, a predicate must say `true` itself. */
export function chainOf(rows: Iterable<EntityRow>): EntityRows {
  return {
    where(predicate) {
      const matching: EntityRow[] = [];
      for (const row of rows) if (predicate(row) === true) matching.push(row);
      return chainOf(matching);
    },
    sort: (compare) => chainOf([...rows].toSorted(compare)),
    limit: (count) => chainOf([...rows].slice(0, count)),
    data: () => [...rows],
  };
}
