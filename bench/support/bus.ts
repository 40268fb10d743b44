import type { Traffic } from "../../local/service-bus/entities/traffic.ts";

export type BusTraffic = Readonly<Record<string, Readonly<Traffic>>>;

export async function busTraffic(adminPort: number): Promise<BusTraffic> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/$traffic`);
  return (await response.json()) as BusTraffic;
}

/** Resolves when everything that was delivered is settled and nothing has been delivered for a moment. */
export async function untilIdle(adminPort: number): Promise<void> {
  for (let before = ""; ;) {
    const traffic = await busTraffic(adminPort);
    const now = JSON.stringify(traffic);
    const open = Object.values(traffic).some(({ deliveries, settlements }) => deliveries > settlements);
    if (!open && now === before) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
