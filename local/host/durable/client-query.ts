import { type RuntimeStatus, runtimeStatuses } from "./history.ts";
import type { InstanceFilter } from "./hub.ts";
import type { StatusOptions } from "./status.ts";

/** What clients ask for in the query of a request to the management API. */

export const continuationHeader = "x-ms-continuation-token";

const pageSize = 100;
const largestPage = 1000;

interface Place {
  readonly id: string;
  readonly createdTime: number;
}

export function statusOptions(query: URLSearchParams): StatusOptions {
  return {
    showInput: query.get("showInput") !== "false",
    showHistory: query.get("showHistory") === "true",
    showHistoryOutput: query.get("showHistoryOutput") === "true",
  };
}

/** Answers with a sentence where the query makes no sense. */
export function readFilter(query: URLSearchParams): InstanceFilter | string {
  const filter: { -readonly [Key in keyof InstanceFilter]: InstanceFilter[Key] } = {};
  for (const [parameter, key] of [
    ["createdTimeFrom", "createdFrom"],
    ["createdTimeTo", "createdTo"],
  ] as const) {
    const text = query.get(parameter);
    if (text === null || text === "") continue;
    const time = Date.parse(text);
    if (Number.isNaN(time)) return `${parameter} is not a time: ${text}`;
    filter[key] = time;
  }
  const wanted = query.get("runtimeStatus");
  if (wanted) {
    const names = wanted.split(",").map((name) => name.trim().toLowerCase());
    filter.statuses = runtimeStatuses.filter((status): status is RuntimeStatus =>
      names.includes(status.toLowerCase()),
    );
  }
  const prefix = query.get("instanceIdPrefix");
  if (prefix) filter.idPrefix = prefix;
  return filter;
}

export function readPage(
  query: URLSearchParams,
  token: string | string[] | undefined,
): { readonly top: number; readonly after: Place | undefined } {
  const asked = Number(query.get("top") ?? pageSize) || pageSize;
  const after = typeof token === "string" && token !== "" ? readToken(token) : undefined;
  return { top: Math.min(Math.max(1, asked), largestPage), after };
}

/** Opaque to clients; empty at the end. */
export function pageToken(last: Place | undefined): string {
  if (last === undefined) return "";
  return Buffer.from(JSON.stringify([last.createdTime, last.id])).toString("base64url");
}

function readToken(token: string): Place | undefined {
  try {
    const text = Buffer.from(token, "base64url").toString("utf8");
    const [createdTime, id] = JSON.parse(text) as [number, string];
    return { createdTime, id };
  } catch {
    return undefined;
  }
}
