import { setTimeout as pause } from "node:timers/promises";

import type { TableClient } from "@azure/data-tables";

import { stableId } from "../envelope/ids.ts";
import { grant, intervalUs, waitUs, type Rate } from "../rate/gcra.ts";
import { HeldTokens } from "../rate/held-tokens.ts";
import { isStatus } from "./storage-error.ts";

/**
 * Token buckets that all hosts share: one row a bucket, changed under its ETag. Those who ask on one host at the same
 * time share one write; a busy bucket is debited in blocks; an empty one costs nothing, because what was read last
 * says until when it is empty at the least. Storage that does not answer throws: nothing passes uncounted.
 *
 *   PK <tenantId>|<hash of the name>   RK bucket
 */
export const ratesTable = "rates";

export interface RateKey {
  readonly tenantId: string;
  readonly name: string;
}

export interface Taken {
  /** Of those asked for; the rest has to wait. */
  readonly allowed: number;
  /** Zero when all were allowed. Those who are turned away together are told different times, one token apart. */
  readonly retryAfterSeconds: number;
}

export interface RateLimiter {
  readonly take: (
    key: RateKey,
    limitPerMinute: number,
    burst: number,
    now: Date,
    count?: number,
  ) => Promise<Taken>;
}

interface Request {
  readonly count: number;
  readonly nowUs: number;
  readonly resolve: (taken: Taken) => void;
  readonly reject: (error: unknown) => void;
}

interface Bucket {
  readonly key: RateKey;
  readonly rate: Rate;
  readonly held: HeldTokens;
  readonly waiting: Request[];
  serving: boolean;
  /** The row as last seen. Others may have moved it since, but only to later. */
  row: Row | undefined;
  /** Until when tokens were promised to those who were turned away. */
  promisedUs: number;
}

interface Row {
  readonly fullAtUs: number;
  readonly etag: string;
}

const rowKey = "bucket";
const maxTries = 12;
const longestWaitUs = 15 * 60_000_000;

/** Of so many buckets most are idle; forgetting one costs the next caller a read. */
const maxBuckets = 10_000;

export function createRateLimiter(table: TableClient): RateLimiter {
  const buckets = new Map<string, Bucket>();
  return {
    take: (key, limitPerMinute, burst, now, count = 1) => {
      const rate = { limitPerMinute, burst: Math.max(1, burst) };
      const id = JSON.stringify([key.tenantId, key.name, rate.limitPerMinute, rate.burst]);
      const bucket = buckets.get(id) ?? newBucket(key, rate);
      if (buckets.size >= maxBuckets) forgetIdle(buckets);
      buckets.set(id, bucket);
      return new Promise((resolve, reject) => {
        bucket.waiting.push({ count, nowUs: now.getTime() * 1000, resolve, reject });
        if (!bucket.serving) void serve(table, bucket);
      });
    },
  };
}

function newBucket(key: RateKey, rate: Rate): Bucket {
  return {
    key,
    rate,
    held: new HeldTokens(rate),
    waiting: [],
    serving: false,
    row: undefined,
    promisedUs: 0,
  };
}

function forgetIdle(buckets: Map<string, Bucket>): void {
  for (const [id, { serving }] of buckets) if (!serving) buckets.delete(id);
}

async function serve(table: TableClient, bucket: Bucket): Promise<void> {
  bucket.serving = true;
  while (bucket.waiting.length > 0) {
    const together = bucket.waiting.splice(0);
    const nowUs = Math.max(...together.map((request) => request.nowUs));
    const wanted = together.reduce((sum, { count }) => sum + count, 0);
    try {
      const allowed = await allow(table, bucket, nowUs, wanted);
      handOut(bucket, together, allowed, nowUs);
    } catch (error) {
      for (const { reject } of together) reject(error);
    }
  }
  bucket.serving = false;
}

/** First come, first served. */
function handOut(bucket: Bucket, together: readonly Request[], allowed: number, nowUs: number): void {
  let left = allowed;
  for (const { count, resolve } of together) {
    const mine = Math.min(count, left);
    left -= mine;
    const retryAfterSeconds = mine === count ? 0 : promise(bucket, nowUs, count - mine) / 1_000_000;
    resolve({ allowed: mine, retryAfterSeconds });
  }
}

/** A hint, not a right: all who wait for one moment would only turn each other away again when it comes. */
function promise(bucket: Bucket, nowUs: number, lacking: number): number {
  const interval = intervalUs(bucket.rate);
  const free = nowUs + waitUs(bucket.row?.fullAtUs ?? 0, bucket.held.sharedRate, nowUs);
  const first = Math.max(free, bucket.promisedUs, nowUs + Math.min(interval, 1_000_000));
  bucket.promisedUs = Math.min(first + lacking * interval, nowUs + longestWaitUs);
  return Math.min(first - nowUs, longestWaitUs);
}

async function allow(table: TableClient, bucket: Bucket, nowUs: number, wanted: number): Promise<number> {
  const held = bucket.held.spend(wanted, nowUs);
  if (held === wanted) return wanted;
  const missing = wanted - held;
  const granted = await debit(table, bucket, nowUs, missing);
  bucket.held.hold(Math.max(0, granted - missing), nowUs);
  return Math.min(wanted, held + granted);
}

async function debit(table: TableClient, bucket: Bucket, nowUs: number, missing: number): Promise<number> {
  const { key, held } = bucket;
  const wanted = held.worthDebiting(missing, nowUs);
  const partitionKey = `${key.tenantId}|${stableId("rate", key.name)}`;
  for (let tries = 0; tries < maxTries; tries++) {
    bucket.row ??= await readRow(table, partitionKey);
    const { granted, fullAtUs } = grant(bucket.row?.fullAtUs ?? 0, held.sharedRate, nowUs, wanted);
    if (granted === 0) return 0;
    const etag = await writeRow(table, { partitionKey, name: key.name, fullAtUs }, bucket.row?.etag);
    bucket.row = etag === undefined ? undefined : { fullAtUs, etag };
    if (etag !== undefined) return granted;
    await pause(Math.random() * Math.min(100, 4 * 2 ** tries));
  }
  return 0;
}

async function readRow(table: TableClient, partitionKey: string): Promise<Row | undefined> {
  try {
    const { fullAtUs, etag } = await table.getEntity<{ fullAtUs: number }>(partitionKey, rowKey);
    return { fullAtUs, etag };
  } catch (error) {
    if (isStatus(error, 404)) return undefined;
    throw error;
  }
}

/** The new ETag, or undefined when somebody else was faster. */
async function writeRow(
  table: TableClient,
  row: { readonly partitionKey: string; readonly name: string; readonly fullAtUs: number },
  etag: string | undefined,
): Promise<string | undefined> {
  try {
    const written =
      etag === undefined
        ? await table.createEntity({ ...row, rowKey })
        : await table.updateEntity({ ...row, rowKey }, "Replace", { etag });
    return written.etag;
  } catch (error) {
    if (isStatus(error, etag === undefined ? 409 : 412)) return undefined;
    throw error;
  }
}
