import { productApi } from "./product.ts";
import { type BenchServices, type HostOptions, startHost } from "./stack.ts";
import type { Vendor } from "./vendor-process.ts";
import { type Fire, volleysAt } from "./volleys.ts";

/** A host with one connection and one route, from GitHub's pull requests to the vendor's sink, the ledger on. */
export async function withRoute<T>(
  services: BenchServices,
  vendor: Vendor,
  options: HostOptions & { readonly firstNumber?: number },
  work: (fire: Fire) => Promise<T>,
): Promise<T> {
  const host = await startHost(services, options);
  try {
    const api = productApi(host.url, services.apiKey);
    const hook = await api.connect();
    await api.route(vendor.sinkUrl);
    return await work(volleysAt(services, host, vendor, hook, options.firstNumber));
  } finally {
    await host.stop();
  }
}
