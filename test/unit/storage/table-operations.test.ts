import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { violationOf } from "../../../local/storage/fault-proxy/limits.ts";
import { readBlobOperation } from "../../../local/storage/fault-proxy/read-blob-operation.ts";
import { readTableOperation } from "../../../local/storage/fault-proxy/read-table-operation.ts";

const read = (method: string, path: string, body = ""): ReturnType<typeof readTableOperation> =>
  readTableOperation({ method, target: `/account/${path}`, body });

describe("reading a table operation", () => {
  test.each([
    ["POST", "Orders", '{"PartitionKey":"p","RowKey":"r"}', "insert"],
    ["PUT", "Orders(PartitionKey='p',RowKey='r')", "{}", "update"],
    ["MERGE", "Orders(PartitionKey='p',RowKey='r')", "{}", "merge"],
    ["PATCH", "Orders(PartitionKey='p',RowKey='r')", "{}", "merge"],
    ["DELETE", "Orders(PartitionKey='p',RowKey='r')", "", "delete"],
    ["GET", "Orders(PartitionKey='p',%20RowKey='r')", "", "get"],
  ])("%s %s is about one row", (method, path, body, kind) => {
    expect(read(method, path, body)).toMatchObject({
      kind,
      resource: "Orders",
      partitionKey: "p",
      rowKey: "r",
    });
  });

  test.each([
    ["GET", "Orders()?$top=5", "", { kind: "query", resource: "Orders", top: 5 }],
    ["GET", "Orders", "", { kind: "query", resource: "Orders" }],
    ["GET", "Tables", "", { kind: "listTables" }],
    ["POST", "Tables", '{"TableName":"Orders"}', { kind: "createTable", resource: "Orders" }],
    ["DELETE", "Tables('Orders')", "", { kind: "deleteTable", resource: "Orders" }],
    ["GET", "Orders?comp=acl", "", { kind: "other" }],
    ["POST", "Orders", "not json", { kind: "other" }],
    ["GET", "%E0%A4%A", "", { kind: "query" }],
  ])("%s %s is about a table, or about none", (method, path, body, expected) => {
    expect(read(method, path, body)).toMatchObject(expected);
  });

  test("finds the keys of a row whatever characters they have", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (partitionKey, rowKey) => {
          const quoted = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));
          const path = `T(PartitionKey='${quoted(partitionKey)}',RowKey='${quoted(rowKey)}')`;
          expect(read("GET", path)).toMatchObject({ kind: "get", partitionKey, rowKey });
        },
      ),
    );
  });
});

describe("reading a batch", () => {
  const part = (request: string, body = ""): string =>
    `--changeset_1\r\ncontent-type: application/http\r\n\r\n${request} HTTP/1.1\r\naccept: x\r\n\r\n\r\n${body}\r\n`;
  const url = "http://127.0.0.1:1/account/T";
  const batch = (...parts: readonly string[]): string =>
    `--batch_1\r\ncontent-type: multipart/mixed\r\n\r\n${parts.join("")}--changeset_1--\r\n--batch_1\r\n`;

  test("finds every operation with its keys, in order", () => {
    const body = batch(
      part(`POST ${url}`, '{"PartitionKey":"p","RowKey":"1","text":"--changeset_1"}'),
      part(`DELETE ${url}(PartitionKey='p',RowKey='2')`),
    );
    expect(read("POST", "$batch", body)).toMatchObject({
      kind: "batch",
      resource: "T",
      partitionKey: "p",
      inner: [
        { kind: "insert", rowKey: "1" },
        { kind: "delete", rowKey: "2" },
      ],
    });
  });

  test("refuses one that acts on different partitions, and names the operation", () => {
    const body = batch(
      part(`DELETE ${url}(PartitionKey='p',RowKey='2')`),
      part(`DELETE ${url}(PartitionKey='q',RowKey='2')`),
    );
    expect(violationOf(read("POST", "$batch", body))).toMatchObject({
      index: 1,
      failure: { code: "CommandsInBatchActOnDifferentPartitions" },
    });
  });
});

describe("reading a blob operation", () => {
  test.each([
    ["PUT", "c/a/b%20c", { kind: "put", resource: "c", blob: "a/b c" }],
    ["PUT", "c/b?comp=block&blockid=x", { kind: "putBlock" }],
    ["PUT", "c/b?comp=metadata", { kind: "other" }],
    ["GET", "c?restype=container&comp=list", { kind: "list", resource: "c" }],
    ["PUT", "c?restype=container", { kind: "createContainer" }],
    ["GET", "c?restype=container", { kind: "other" }],
    ["HEAD", "c/b", { kind: "head" }],
    ["DELETE", "c/%E0%A4", { kind: "delete" }],
  ])("%s %s", (method, path, expected) => {
    expect(readBlobOperation(method, `/account/${path}`)).toMatchObject(expected);
  });
});
