import type { TableClient, TableEntity, TransactionAction, UpdateMode } from "@azure/data-tables";

/**
 * Writes that arrive while another is under way wait for it and then go together:
 *
 *   write ──► queue of its partition ──► one transaction at a time ──► each learns how its own write went
 *
 * Nobody waits for company, so a lone write is as fast as ever, and the busier it gets the less a write costs. A write
 * that conflicts, or that storage will not have, fails alone: the others of its transaction are made without it.
 */
export interface GroupCommit {
  /** All of them or none. They belong to one partition. Rejects as the client would: 409, 412, 404. */
  readonly write: (...steps: readonly [Step, ...Step[]]) => Promise<WriteResult>;
}

export type Row = TableEntity<object>;

export type Step =
  | { readonly kind: "create"; readonly row: Row }
  | { readonly kind: "update"; readonly row: Row; readonly mode: UpdateMode; readonly etag: string }
  | { readonly kind: "upsert"; readonly row: Row; readonly mode: UpdateMode }
  | { readonly kind: "delete"; readonly row: Row };

export interface WriteResult {
  /** Of the first step's row. */
  readonly etag: string;
}

interface Pending {
  readonly steps: readonly Step[];
  readonly bytes: number;
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

interface Options {
  /** A step to go with every transaction of a partition, made at the last moment. */
  readonly companion?: (partitionKey: string) => Step;
}

/** Azure takes 100 steps and 4 MiB in one transaction; text and base64 take more room on the wire than in memory. */
const maxSteps = 100;
const maxBytes = 2 * 1024 * 1024;
const companionSteps = 1;

export function createGroupCommit(table: TableClient, { companion }: Options = {}): GroupCommit {
  const queues = new Map<string, Pending[]>();

  async function drain(partitionKey: string, queue: Pending[]): Promise<void> {
    while (queue.length > 0)
      await commit(partitionKey, takeGroup(queue, companion === undefined ? 0 : companionSteps));
    queues.delete(partitionKey);
  }

  async function commit(partitionKey: string, group: Pending[], isSecondTry = false): Promise<void> {
    const [first] = group;
    if (first === undefined) return;
    const steps = group.flatMap((pending) => pending.steps);
    try {
      if (companion !== undefined) steps.push(companion(partitionKey));
      const etags = await send(table, steps);
      let position = 0;
      for (const { steps: own, resolve } of group) {
        resolve({ etag: etags[position] ?? "" });
        position += own.length;
      }
    } catch (error) {
      const culprit = group.length === 1 ? first : culpritOf(group, error);
      if (culprit !== undefined) {
        culprit.reject(error);
        const others = group.filter((pending) => pending !== culprit);
        // Of messages that come again all conflict: finding them one by one would take as many transactions in a row.
        // A companion would be written by all of them at once, which storage may take for another conflict.
        if (isSecondTry && companion === undefined)
          await Promise.all(others.map((each) => commit(partitionKey, [each])));
        else await commit(partitionKey, others, true);
      } else if (isRefusal(error)) {
        const middle = Math.ceil(group.length / 2);
        await commit(partitionKey, group.slice(0, middle));
        await commit(partitionKey, group.slice(middle));
      } else {
        for (const { reject } of group) reject(error);
      }
    }
  }

  return {
    write: (...steps) =>
      new Promise((resolve, reject) => {
        const { partitionKey } = steps[0].row;
        const pending = { steps, bytes: sizeOf(steps), resolve, reject };
        const queue = queues.get(partitionKey);
        if (queue !== undefined) {
          queue.push(pending);
          return;
        }
        const begun = [pending];
        queues.set(partitionKey, begun);
        // One turn later, so that what arrives in this one goes along.
        setImmediate(() => void drain(partitionKey, begun));
      }),
  };
}

/** A row may stand only once in a transaction: its second write waits for the next. */
function takeGroup(queue: Pending[], reserved: number): Pending[] {
  const rows = new Set<string>();
  const group: Pending[] = [];
  let steps = reserved;
  let bytes = 0;
  for (const pending of queue) {
    const keys = pending.steps.map(({ row }) => row.rowKey);
    const fits = steps + keys.length <= maxSteps && bytes + pending.bytes <= maxBytes;
    if (group.length > 0 && (!fits || keys.some((key) => rows.has(key)))) break;
    for (const key of keys) rows.add(key);
    group.push(pending);
    steps += keys.length;
    bytes += pending.bytes;
  }
  queue.splice(0, group.length);
  return group;
}

async function send(table: TableClient, steps: readonly Step[]): Promise<string[]> {
  const [only] = steps;
  if (steps.length === 1 && only !== undefined) return [await sendOne(table, only)];
  const { subResponses } = await table.submitTransaction(steps.map(action));
  return subResponses.map(({ etag }) => etag ?? "");
}

async function sendOne(table: TableClient, step: Step): Promise<string> {
  switch (step.kind) {
    case "create":
      return (await table.createEntity(step.row)).etag ?? "";
    case "update":
      return (await table.updateEntity(step.row, step.mode, { etag: step.etag })).etag ?? "";
    case "upsert":
      return (await table.upsertEntity(step.row, step.mode)).etag ?? "";
    case "delete":
      await table.deleteEntity(step.row.partitionKey, step.row.rowKey);
      return "";
  }
}

function action(step: Step): TransactionAction {
  switch (step.kind) {
    case "create":
      return ["create", step.row];
    case "update":
      return ["update", step.row, step.mode, { etag: step.etag }];
    case "upsert":
      return ["upsert", step.row, step.mode];
    case "delete":
      return ["delete", step.row];
  }
}

/** Conflicts, and what storage will never take, whoever sends it with whom. */
const ofOneStep = [400, 404, 409, 412];
/** Somebody in the group is to blame, and storage may not say who. */
const refusals = [400, 413];

function hasStatus(error: unknown, statuses: readonly number[]): error is Error {
  return (
    error instanceof Error && "statusCode" in error && statuses.some((each) => error.statusCode === each)
  );
}

function isRefusal(error: unknown): boolean {
  return hasStatus(error, refusals);
}

/** The service says which step failed in front of its message: `2:The specified entity already exists.` */
function culpritOf(group: readonly Pending[], error: unknown): Pending | undefined {
  if (!hasStatus(error, ofOneStep)) return undefined;
  let remaining = Number(/^(?:.*"value":")?(\d+):/s.exec(error.message)?.[1]);
  return group.find(({ steps }) => {
    const isHere = remaining < steps.length;
    remaining -= steps.length;
    return isHere;
  });
}

function sizeOf(steps: readonly Step[]): number {
  let bytes = 0;
  for (const { row } of steps) {
    const values: unknown[] = Object.values(row);
    for (const value of values) {
      if (typeof value === "string") bytes += value.length * 2;
      else if (value instanceof Uint8Array) bytes += (value.byteLength * 4) / 3;
      else bytes += 16;
    }
  }
  return bytes;
}
