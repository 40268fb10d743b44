import type { TableClient } from "@azure/data-tables";

import { mergePaths } from "../catalog/field-paths.ts";
import { isStatus } from "./storage-error.ts";

/** A row of the table `subjects`, under the tenant and the subject. */
export interface SubjectRow {
  readonly count: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** One a line. */
  readonly fieldPaths: string;
}

/** What one host has seen of a subject since it last wrote. */
export interface Sighting {
  readonly count: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  readonly fieldPaths: readonly string[];
}

const mostTries = 5;

/** Adds to the row whatever other hosts do to it meanwhile; answers whether it could. */
export async function recordSighting(
  table: TableClient,
  tenantId: string,
  subject: string,
  sighting: Sighting,
): Promise<boolean> {
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    if (await tryToRecord(table, tenantId, subject, sighting)) return true;
  }
  return false;
}

/** False when another host was faster. */
async function tryToRecord(
  table: TableClient,
  tenantId: string,
  subject: string,
  sighting: Sighting,
): Promise<boolean> {
  const key = { partitionKey: tenantId, rowKey: subject };
  const found = await findRow(table, tenantId, subject);
  try {
    if (found === undefined) await table.createEntity({ ...key, ...toRow(sighting) });
    else {
      const { etag, ...row } = found;
      await table.updateEntity({ ...key, ...added(row, sighting) }, "Replace", { etag });
    }
    return true;
  } catch (error) {
    if (isStatus(error, 409) || isStatus(error, 412) || isStatus(error, 404)) return false;
    throw error;
  }
}

async function findRow(
  table: TableClient,
  tenantId: string,
  subject: string,
): Promise<(SubjectRow & { readonly etag: string }) | undefined> {
  try {
    return await table.getEntity<SubjectRow>(tenantId, subject);
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function toRow({ fieldPaths: paths, ...sighting }: Sighting): SubjectRow {
  return { ...sighting, fieldPaths: paths.join("\n") };
}

function added(row: SubjectRow, sighting: Sighting): SubjectRow {
  return {
    count: row.count + sighting.count,
    firstSeen: row.firstSeen < sighting.firstSeen ? row.firstSeen : sighting.firstSeen,
    lastSeen: row.lastSeen > sighting.lastSeen ? row.lastSeen : sighting.lastSeen,
    fieldPaths: mergePaths(linesOf(row.fieldPaths), sighting.fieldPaths).join("\n"),
  };
}

export function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
