import { expect, test } from "vitest";

import { collect } from "../../support/collect.ts";
import { newContainer, refusal, tally } from "../../support/storage-clients.ts";
import { storageForFile } from "../../support/storage-under-test.ts";

const held = storageForFile();
const container = (): ReturnType<typeof newContainer> => newContainer(held.storage.connectionString);

// https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api
test("blobs: upload and download: bytes, content type and metadata come back as they went in", async () => {
  const blob = (await container()).getBlockBlobClient("folder/a b%ü.bin");
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, n) => n % 256));
  await blob.upload(bytes, bytes.length, {
    blobHTTPHeaders: { blobContentType: "application/x-test" },
    metadata: { origin: "test" },
  });
  expect((await blob.downloadToBuffer()).equals(bytes)).toBe(true);
  expect(await blob.getProperties()).toMatchObject({
    contentLength: bytes.length,
    contentType: "application/x-test",
    metadata: { origin: "test" },
  });
});

test("blobs: upload in blocks: the parts are one blob", async () => {
  const blob = (await container()).getBlockBlobClient("blocks");
  const bytes = Buffer.alloc(3_000_000, "abc");
  await blob.uploadData(bytes, { blockSize: 1_000_000, maxSingleShotSize: 1_000_000, concurrency: 3 });
  expect((await blob.downloadToBuffer()).equals(bytes)).toBe(true);
});

test("blobs: range: answers the part that was asked for", async () => {
  const blob = (await container()).getBlockBlobClient("range");
  await blob.upload("0123456789", 10);
  expect((await blob.downloadToBuffer(3, 4)).toString()).toBe("3456");
});

test("blobs: missing: a blob or container that is not there answers 404", async () => {
  const present = await container();
  const blob = present.getBlockBlobClient("absent");
  expect(await refusal(blob.downloadToBuffer())).toEqual({ status: 404, code: "BlobNotFound" });
  expect(await refusal(blob.delete())).toEqual({ status: 404, code: "BlobNotFound" });
  expect(await blob.exists()).toBe(false);
  await present.delete();
  expect(await refusal(blob.upload("x", 1))).toEqual({ status: 404, code: "ContainerNotFound" });
});

test("blobs: if-none-match *: of 16 uploads at once exactly one succeeds, the others answer 409", async () => {
  const blob = (await container()).getBlockBlobClient("once");
  const conditions = { ifNoneMatch: "*" };
  const calls = Array.from({ length: 16 }, (_, n) => blob.upload(`${n % 10}`, 1, { conditions }));
  expect(await tally(calls)).toEqual({ ok: 1, "409 BlobAlreadyExists": 15 });
});

test("blobs: if-match: a stale etag answers 412 ConditionNotMet for upload, download and delete", async () => {
  const blob = (await container()).getBlockBlobClient("etag");
  const { etag = "" } = await blob.upload("1", 1);
  const { etag: next = "" } = await blob.upload("2", 1, { conditions: { ifMatch: etag } });
  const conditions = { ifMatch: etag };
  for (const call of [
    blob.upload("3", 1, { conditions }),
    blob.download(0, undefined, { conditions }),
    blob.delete({ conditions }),
  ].map(refusal)) {
    expect(await call).toEqual({ status: 412, code: "ConditionNotMet" });
  }
  await blob.delete({ conditions: { ifMatch: next } });
});

test("blobs: lease: keeps others from writing until it is released", async () => {
  const blob = (await container()).getBlockBlobClient("lease");
  await blob.upload("1", 1);
  const lease = blob.getBlobLeaseClient();
  const { leaseId = "" } = await lease.acquireLease(15);
  expect(await refusal(blob.upload("2", 1))).toEqual({ status: 412, code: "LeaseIdMissing" });
  expect(await refusal(blob.getBlobLeaseClient().acquireLease(15))).toEqual({
    status: 409,
    code: "LeaseAlreadyPresent",
  });
  await blob.upload("3", 1, { conditions: { leaseId } });
  await lease.releaseLease();
  await blob.upload("4", 1);
});

test("blobs: list: by prefix and in pages, in the order of their names", async () => {
  const present = await container();
  for (const name of ["a/2", "a/1", "b/1", "a/3"]) await present.getBlockBlobClient(name).upload("x", 1);
  const named = await collect(present.listBlobsFlat({ prefix: "a/" }));
  expect(named.map(({ name }) => name)).toEqual(["a/1", "a/2", "a/3"]);
  const pages = await collect(present.listBlobsFlat().byPage({ maxPageSize: 3 }));
  expect(pages.map(({ segment }) => segment.blobItems.length)).toEqual([3, 1]);
});

test("blobs: container: create is refused 409 when present, createIfNotExists is not", async () => {
  const present = await container();
  expect(await refusal(present.create())).toEqual({ status: 409, code: "ContainerAlreadyExists" });
  expect((await present.createIfNotExists()).succeeded).toBe(false);
});
