import { readFileSync } from "node:fs";
import { join } from "node:path";

import type { Platform } from "../../shared/platform/platform.ts";

const inventory = JSON.parse(readFileSync(join(import.meta.dirname, "../../infra/storage.json"), "utf8")) as {
  readonly tables: readonly string[];
  readonly containers: readonly string[];
};

/** Looks through every row and blob of the platform; answers with those that hold one of the texts. */
export async function findText(platform: Platform, texts: readonly string[]): Promise<string[]> {
  const holdsOne = (content: Buffer | string): boolean => texts.some((text) => content.includes(text));
  const found: string[] = [];
  for (const name of inventory.tables) {
    for await (const row of (await platform.table(name)).listEntities()) {
      const values = Object.values(row).map((value) =>
        value instanceof Uint8Array ? Buffer.from(value) : String(value),
      );
      if (values.some(holdsOne)) found.push(`${name}: ${row.partitionKey} ${row.rowKey}`);
    }
  }
  for (const name of inventory.containers) {
    const container = await platform.container(name);
    for await (const blob of container.listBlobsFlat()) {
      const content = await container.getBlobClient(blob.name).downloadToBuffer();
      if (holdsOne(content) || holdsOne(blob.name)) found.push(`${name}: ${blob.name}`);
    }
  }
  return found;
}
