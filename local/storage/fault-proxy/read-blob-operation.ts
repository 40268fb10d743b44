import { accountPath } from "./account-path.ts";
import type { BlobKind, BlobOperation } from "./operation.ts";

const blobKindOf: Readonly<Record<string, BlobKind>> = {
  "PUT ": "put",
  "PUT block": "putBlock",
  "PUT blocklist": "putBlockList",
  "PUT lease": "lease",
  "GET ": "get",
  "HEAD ": "head",
  "DELETE ": "delete",
};

const containerKindOf: Readonly<Record<string, BlobKind>> = {
  "PUT ": "createContainer",
  "DELETE ": "deleteContainer",
  "PUT lease": "lease",
  "GET list": "list",
};

export function readBlobOperation(method: string, target: string): BlobOperation {
  const { path, query } = accountPath(target);
  const [container = "", ...rest] = path.split("/");
  const blob = rest.join("/");
  const key = `${method} ${query.get("comp") ?? ""}`;
  if (blob === "") return { service: "blob", kind: containerKindOf[key] ?? "other", resource: container };
  return { service: "blob", kind: blobKindOf[key] ?? "other", resource: container, blob };
}
