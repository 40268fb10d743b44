import { afterAll, beforeAll } from "vitest";

import { startFaultProxy, type FaultProxy } from "../../local/storage/fault-proxy/proxy.ts";
import { startStorage, type StorageServer } from "../../local/storage/server.ts";

/** One storage in memory for the tests of a file. */
export function storageForFile(): { readonly storage: StorageServer } {
  let storage: StorageServer | undefined;
  beforeAll(async () => {
    storage = await startStorage();
  });
  afterAll(() => storage?.stop());
  return {
    get storage() {
      if (!storage) throw new Error("The storage has not started.");
      return storage;
    },
  };
}

/** The same behind a proxy; `now` is the time its rates are measured by. */
export function proxyForFile(time: { now: number } = { now: 0 }): { readonly proxy: FaultProxy } {
  const held = storageForFile();
  let proxy: FaultProxy | undefined;
  beforeAll(async () => {
    proxy = await startFaultProxy({ upstream: held.storage, clock: { now: () => time.now } });
  });
  afterAll(() => proxy?.stop());
  return {
    get proxy() {
      if (!proxy) throw new Error("The proxy has not started.");
      return proxy;
    },
  };
}
