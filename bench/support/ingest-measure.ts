import { type BenchArguments, warmUpAt, webhooksAt, widths } from "./arguments.ts";
import { productApi } from "./product.ts";
import { type BenchServices, startHost, type HostOptions } from "./stack.ts";
import type { Vendor } from "./vendor-process.ts";
import { type CountedVolley, volleysAt } from "./volleys.ts";

/** Functions that take events from the bus: without them a webhook is accepted, and nothing more happens to it. */
export const afterIntake = ["route-event", "dispatch-generic", "execute-work"];

/** Functions that run by the clock; where operations are counted, theirs would be a matter of chance. */
export const byTheClock = ["sweep-inbox", "drain-backlog", "purge-ledger"];

/** Starts a host, sends webhooks until it is warm, then measures at every width. */
export async function measureIngest(
  services: BenchServices,
  vendor: Vendor,
  { quick }: BenchArguments,
  options: HostOptions & { readonly only?: readonly number[]; readonly firstNumber?: number } = {},
): Promise<Map<number, CountedVolley>> {
  const host = await startHost(services, options);
  try {
    const hook = await productApi(host.url, services.apiKey).connect();
    const fire = volleysAt(services, host, vendor, hook, options.firstNumber);
    await fire(64, warmUpAt(quick));
    const results = new Map<number, CountedVolley>();
    for (const width of options.only ?? widths)
      results.set(width, await fire(width, webhooksAt(width, quick)));
    return results;
  } finally {
    await host.stop();
  }
}
