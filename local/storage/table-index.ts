import type {
  EntityCollection,
  TableStore,
} from "azurite/dist/src/table/persistence/LokiTableMetadataStore.js";
import queryParser from "azurite/dist/src/table/persistence/QueryInterpreter/QueryParser.js";

import { type FilterScope, scopeOf } from "./filter-scope.ts";
import { chainOf, RowIndex } from "./row-index.ts";

/**
 * Azurite finds a row by walking its whole partition and answers a query by walking the whole table, so that a local
 * table becomes slower with every row, which Azure's do not. With this, a row is found by its keys and a query that
 * names its partition looks at that partition only; answers stay what they were, as Azurite still gives them.
 */
export function indexTables(store: TableStore): void {
  const indexes = new WeakMap<EntityCollection, RowIndex>();
  const getCollection = store.getEntityCollection.bind(store);

  /** A collection is indexed when it is first asked for: then it has been loaded from disk, if it ever was there. */
  const indexed = (...table: Parameters<TableStore["getEntityCollection"]>): [EntityCollection, RowIndex] => {
    const collection = getCollection(...table);
    const known = indexes.get(collection);
    if (known !== undefined) return [collection, known];
    const index = new RowIndex(collection);
    indexes.set(collection, index);
    findByKeys(collection, index);
    return [collection, index];
  };
  store.getEntityCollection = (...table) => indexed(...table)[0];

  const query = store.queryTableEntities;
  store.queryTableEntities = (context, account, table, options, ...next) => {
    const scope = scopeOfFilter(options.filter);
    if (scope === undefined) return query.call(store, context, account, table, options, ...next);
    const chainOn = (...of: Parameters<typeof indexed>): Pick<EntityCollection, "chain"> => ({
      chain: () => chainOf(indexed(...of)[1].rowsIn(scope)),
    });
    const narrowed = Object.create(store, { getEntityCollection: { value: chainOn } }) as TableStore;
    return query.call(narrowed, context, account, table, options, ...next);
  };
}

/**
 * The only thing a collection of rows is asked to find is one row by both keys. Its own sorted indexes served that, and
 * keeping them moves a part of every array at every write, so they go.
 */
function findByKeys(collection: EntityCollection, index: RowIndex): void {
  collection.binaryIndices = {};
  const findOne = collection.findOne.bind(collection);
  collection.findOne = (wanted) => {
    const { PartitionKey, RowKey, ...more } = wanted;
    const byKeys =
      typeof PartitionKey === "string" && typeof RowKey === "string" && Object.keys(more).length === 0;
    return byKeys ? index.row(PartitionKey, RowKey) : findOne(wanted);
  };
}

function scopeOfFilter(filter: string | undefined): FilterScope | undefined {
  if (filter === undefined) return undefined;
  try {
    return scopeOf(queryParser.default(filter));
  } catch {
    return undefined; // Azurite parses it once more and answers with its own error.
  }
}
