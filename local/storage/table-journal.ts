import type { Collection, TableStore } from "azurite/dist/src/table/persistence/LokiTableMetadataStore.js";

import { Generations } from "./journal/generations.ts";
import { imageOf, json, restoreInto } from "./journal/table-changes.ts";

/** What changes something, and answers when it has. */
const operations = [
  "createTable",
  "deleteTable",
  "setTableACL",
  "setServiceProperties",
  "insertTableEntity",
  "insertOrUpdateTableEntity",
  "insertOrMergeTableEntity",
  "deleteTableEntity",
  "endBatchTransaction",
] as const satisfies readonly (keyof TableStore)[];

/** The files are made anew when two thirds of what they say is out of date, but not for less than this. */
const fewestChanges = 20_000;

/**
 * Azurite keeps tables in memory and writes all of them every five seconds, as one text: the fuller they are the longer
 * nobody is served meanwhile, what was acknowledged since goes when the process is killed, and beyond half a gigabyte
 * the text cannot be made at all. With this, every change is written before it is answered, and costs the same whatever
 * else there is. A transaction is one line, so that it is there wholly or not at all.
 */
export function journalTables(store: TableStore, folder: string): void {
  const { db } = store;
  const generations = new Generations({ folder, image: () => imageOf(db.collections) });
  let changes: string[] = [];
  /** Since the files were last made anew, about. */
  let written = 0;
  let inTransaction = false;

  function commit(): void {
    if (changes.length === 0 || inTransaction) return;
    generations.append(`[${changes.join(",")}]`);
    written += changes.length;
    changes = [];
    const held = db.collections.reduce((sum, { data }) => sum + data.length, 0);
    if (written < fewestChanges + 3 * held) return;
    generations.rotate();
    written = held;
  }

  function follow(collection: Collection): void {
    const { name } = collection;
    collection.on("insert", (document) => void changes.push(json("put", name, document)));
    collection.on("update", (document) => void changes.push(json("put", name, document)));
    collection.on("delete", ({ $loki }) => void changes.push(json("delete", name, $loki)));
  }

  function followAll(): void {
    for (const collection of db.collections) follow(collection);
    const add = db.addCollection.bind(db);
    db.addCollection = (name, options) => {
      const collection = add(name, options);
      changes.push(json("add", name));
      follow(collection);
      return collection;
    };
    const remove = db.removeCollection.bind(db);
    db.removeCollection = (name) => {
      remove(name);
      changes.push(json("remove", name));
    };
  }

  const init = store.init.bind(store);
  store.init = async () => {
    await init();
    written = restoreInto(db, generations);
    followAll();
  };
  const begin = store.beginBatchTransaction.bind(store);
  store.beginBatchTransaction = async (batchId) => {
    await begin(batchId);
    inTransaction = true;
  };
  for (const name of operations) {
    const operation = store[name].bind(store);
    store[name] = async (...given) => {
      try {
        return await operation(...given);
      } finally {
        // Also what failed may have changed something, and the file is to say what the memory does.
        if (name === "endBatchTransaction") inTransaction = false;
        commit();
      }
    };
  }
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await generations.close();
  };
}
