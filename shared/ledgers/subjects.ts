import type { TableClient } from "@azure/data-tables";

import { fieldPaths } from "../catalog/field-paths.ts";
import { isStatus } from "./storage-error.ts";
import { linesOf, recordSighting, type Sighting, type SubjectRow } from "./subject-rows.ts";

/** The subjects a tenant's events really had, beside those the catalog knows: one row each, under the tenant. */
export const subjectsTable = "subjects";

export interface ObservedSubject {
  readonly subject: string;
  /** Roughly: a host that dies takes what it had not written yet with it. */
  readonly count: number;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** Paths that payloads had, never values. */
  readonly fieldPaths: readonly string[];
}

export async function listSubjects(
  table: TableClient,
  tenantId: string,
): Promise<readonly ObservedSubject[]> {
  const filter = ofTenant(tenantId);
  const found: ObservedSubject[] = [];
  for await (const row of table.listEntities<SubjectRow>({ queryOptions: { filter } })) {
    found.push(toObserved(row.rowKey ?? "", row));
  }
  return found;
}

export async function listSubjectNames(table: TableClient, tenantId: string): Promise<string[]> {
  const queryOptions = { filter: ofTenant(tenantId), select: ["RowKey"] };
  const names: string[] = [];
  for await (const { rowKey } of table.listEntities<object>({ queryOptions })) names.push(rowKey ?? "");
  return names;
}

export async function findSubject(
  table: TableClient,
  tenantId: string,
  subject: string,
): Promise<ObservedSubject | undefined> {
  try {
    return toObserved(subject, await table.getEntity<SubjectRow>(tenantId, subject));
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

function ofTenant(tenantId: string): string {
  return `PartitionKey eq '${tenantId.replaceAll("'", "''")}'`;
}

function toObserved(
  subject: string,
  { count, firstSeen, lastSeen, fieldPaths: paths }: SubjectRow,
): ObservedSubject {
  return { subject, count, firstSeen, lastSeen, fieldPaths: linesOf(paths) };
}

export interface SubjectObserver {
  /** Returns at once and never fails: an event is worth more than the note that it was seen. */
  readonly observe: (tenantId: string, subject: string, data: unknown, now: Date) => void;
  /** Writes what has not been written yet, and waits for it. */
  readonly flush: () => Promise<void>;
}

/** So often a subject is written: a thousand events a second cost no more than one. */
const writeEverySeconds = 30;
/** A source that puts ids into its event types makes a subject of each: at some point they are no longer noted. */
const mostSubjectsPerTenant = 1000;
const mostSubjects = 10_000;
const flushTogether = 16;

interface Entry {
  readonly tenantId: string;
  readonly subject: string;
  unwritten: Sighting | undefined;
  writtenAt: Date | undefined;
  writing: Promise<void> | undefined;
}

/** Counts in memory and writes now and then. `onProblem` hears of writes that failed; they are tried again later. */
export function createSubjectObserver(
  table: TableClient,
  onProblem: (error: unknown) => void = () => undefined,
): SubjectObserver {
  const entries = new Map<string, Entry>();
  const perTenant = new Map<string, number>();
  let sweptAt: Date | undefined;

  function entryOf(tenantId: string, subject: string): Entry | undefined {
    const key = `${tenantId}|${subject}`;
    const found = entries.get(key);
    if (found !== undefined) return found;
    const heldForTenant = perTenant.get(tenantId) ?? 0;
    if (heldForTenant >= mostSubjectsPerTenant || entries.size >= mostSubjects) return undefined;
    perTenant.set(tenantId, heldForTenant + 1);
    const entry: Entry = {
      tenantId,
      subject,
      unwritten: undefined,
      writtenAt: undefined,
      writing: undefined,
    };
    entries.set(key, entry);
    return entry;
  }

  async function write(entry: Entry, sighting: Sighting): Promise<void> {
    entry.unwritten = undefined;
    try {
      if (await recordSighting(table, entry.tenantId, entry.subject, sighting)) return;
    } catch (error) {
      onProblem(error);
    }
    entry.unwritten = together(sighting, entry.unwritten);
  }

  function startWriting(entry: Entry, now: Date | undefined): void {
    if (entry.unwritten === undefined || entry.writing !== undefined) return;
    entry.writtenAt = now ?? entry.writtenAt;
    entry.writing = write(entry, entry.unwritten).finally(() => {
      entry.writing = undefined;
    });
  }

  async function finish(entry: Entry): Promise<void> {
    await entry.writing;
    startWriting(entry, undefined);
    await entry.writing;
  }

  /** Subjects that have gone quiet are written too, by the events of others. */
  function sweep(now: Date): void {
    if (!isDue(sweptAt, now)) return;
    sweptAt = now;
    for (const entry of entries.values()) if (isDue(entry.writtenAt, now)) startWriting(entry, now);
  }

  return {
    observe(tenantId, subject, data, now) {
      const entry = entryOf(tenantId, subject);
      if (entry === undefined) return;
      const due = isDue(entry.writtenAt, now);
      // The shape is looked at only when it will be written: it costs more than counting.
      const paths = due ? fieldPaths(data) : [];
      entry.unwritten = together(
        { count: 1, firstSeen: now, lastSeen: now, fieldPaths: paths },
        entry.unwritten,
      );
      if (due) startWriting(entry, now);
      sweep(now);
    },
    async flush() {
      const open = [...entries.values()].filter(
        (entry) => entry.unwritten !== undefined || entry.writing !== undefined,
      );
      for (let at = 0; at < open.length; at += flushTogether) {
        await Promise.all(open.slice(at, at + flushTogether).map(finish));
      }
    },
  };
}

function isDue(last: Date | undefined, now: Date): boolean {
  return last === undefined || now.getTime() - last.getTime() >= writeEverySeconds * 1000;
}

function together(one: Sighting, other: Sighting | undefined): Sighting {
  if (other === undefined) return one;
  return {
    count: one.count + other.count,
    firstSeen: one.firstSeen < other.firstSeen ? one.firstSeen : other.firstSeen,
    lastSeen: one.lastSeen > other.lastSeen ? one.lastSeen : other.lastSeen,
    fieldPaths: one.fieldPaths.length >= other.fieldPaths.length ? one.fieldPaths : other.fieldPaths,
  };
}
