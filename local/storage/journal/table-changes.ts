import type {
  Collection,
  Database,
  Document,
} from "azurite/dist/src/table/persistence/LokiTableMetadataStore.js";

import type { Generations } from "./generations.ts";

/** A step of a commit. A document is known by its collection and the number it has there. */
export type Change =
  | readonly [kind: "add", collection: string]
  | readonly [kind: "remove", collection: string]
  | readonly [kind: "put", collection: string, document: Document]
  | readonly [kind: "delete", collection: string, id: number];

/** Documents change later on, so what is said of them is put into words at once. */
export const json = (...change: Change): string => JSON.stringify(change);

/** Commits that make these collections from nothing. Others may be changing them, between one commit and the next. */
export function* imageOf(collections: readonly Collection[]): Iterable<string> {
  const all = collections.slice();
  for (const { name, data } of all) {
    yield `[${json("add", name)}]`;
    const documents = data.slice();
    for (const document of documents) {
      // One without a number was deleted meanwhile.
      if ("$loki" in document) yield `[${json("put", name, document)}]`;
    }
  }
}

/**
 * Reads back what was written, and says how many changes that were. The database has nothing but the collections it
 * begins with.
 */
export function restoreInto(db: Database, generations: Generations): number {
  let changes = 0;
  const documents = new Map<string, Map<number, Document>>();
  generations.open((commit) => {
    for (const change of commit as readonly Change[]) apply(documents, change);
    changes += (commit as readonly Change[]).length;
  });
  for (const [name, held] of documents) {
    const collection = db.addCollection(name);
    collection.data = [...held.values()].toSorted((one, other) => one.$loki - other.$loki);
    collection.maxId = collection.data.at(-1)?.$loki ?? 0;
    collection.idIndex = null;
    collection.ensureAllIndexes(true);
  }
  return changes;
}

function apply(documents: Map<string, Map<number, Document>>, change: Change): void {
  const [kind, name] = change;
  const held = documents.get(name) ?? new Map<number, Document>();
  if (kind === "remove") {
    documents.delete(name);
    return;
  }
  documents.set(name, held);
  if (kind === "put") held.set(change[2].$loki, change[2]);
  if (kind === "delete") held.delete(change[2]);
}
