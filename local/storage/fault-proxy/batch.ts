import { randomUUID } from "node:crypto";

import { odataError } from "./error-bodies.ts";
import type { StorageFailure } from "./errors.ts";
import type { RequestText } from "./read-table-operation.ts";

const boundary = /\r?\n--(?:changeset|batch)_[^\r\n]*/;
const requestLine = /^(GET|POST|PUT|MERGE|PATCH|DELETE) (\S+) HTTP\/1\.1\r?$/m;

/** The requests inside an entity group transaction. Their JSON has no line breaks, so no boundary hides in it. */
export function splitBatch(body: string): RequestText[] {
  return `\n${body}`.split(boundary).flatMap((part) => {
    const found = requestLine.exec(part);
    if (!found) return [];
    const [line, method = "", target = ""] = found;
    const [, ...rest] = part.slice(found.index + line.length).split(/\r?\n\r?\n/);
    return [{ method, target, body: rest.join("\n\n").trim() }];
  });
}

/** A transaction that failed: its status is 202 all the same, and the message begins with the index of the culprit. */
export function failedBatch(failure: StorageFailure, index: number): { type: string; body: string } {
  const batch = `batchresponse_${randomUUID()}`;
  const changeset = `changesetresponse_${randomUUID()}`;
  const lines = [
    `--${batch}`,
    `Content-Type: multipart/mixed; boundary=${changeset}`,
    "",
    `--${changeset}`,
    "Content-Type: application/http",
    "Content-Transfer-Encoding: binary",
    "",
    `HTTP/1.1 ${failure.status} ${failure.status === 400 ? "Bad Request" : "Error"}`,
    "X-Content-Type-Options: nosniff",
    "Content-Type: application/json;odata=minimalmetadata;streaming=true;charset=utf-8",
    "",
    odataError({ ...failure, message: `${index}:${failure.message}` }),
    `--${changeset}--`,
    `--${batch}--`,
    "",
  ];
  return { type: `multipart/mixed; boundary=${batch}`, body: lines.join("\r\n") };
}
