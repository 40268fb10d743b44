import type { Traffic } from "../../local/service-bus/entities/traffic.ts";

export type BusTraffic = Readonly<Record<string, Readonly<Traffic>>>;

export async function busTraffic(adminPort: number): Promise<BusTraffic> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/$traffic`);
  return (await response.json()) as BusTraffic;
}

const lookMs = 250;
/** A delivery whose lock was lost is never settled, only made again; so long nothing else may happen. */
const patienceLooks = 12;

/** Resolves when everything that was delivered is settled and nothing has been delivered for a moment. */
export async function untilIdle(adminPort: number): Promise<void> {
  let before = "";
  for (let unchanged = 0; ; unchanged++) {
    const traffic = await busTraffic(adminPort);
    const now = JSON.stringify(traffic);
    if (now !== before) unchanged = 0;
    const open = Object.values(traffic).some(({ deliveries, settlements }) => deliveries > settlements);
    if (unchanged >= (open ? patienceLooks : 1)) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
  }
}
