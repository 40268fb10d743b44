import { once } from "node:events";
import { createServer } from "node:net";

/** What listens where. The defaults are the ports that the tools of each service expect. */
const services = {
  blobs: { port: 10_000, label: "blobs" },
  queues: { port: 10_001, label: "queues" },
  tables: { port: 10_002, label: "tables" },
  bus: { port: 5672, label: "Service Bus" },
  busAdmin: { port: 5300, label: "Service Bus administration" },
  vault: { port: 8200, label: "Key Vault" },
} as const;

export type ServicePorts = Record<keyof typeof services, number>;

/** Ports that could not be had, in words that say how to go on. */
export class PortsTaken extends Error {
  override readonly name = "PortsTaken";
}

export async function choosePorts(
  apiPort: number,
  hosts: number,
  servicesPort: number | undefined,
): Promise<{ services: ServicePorts; api: number[] }> {
  const names = Object.keys(services) as (keyof typeof services)[];
  const wanted = names.map((name, index) => {
    if (servicesPort === undefined) return services[name].port;
    return servicesPort === 0 ? 0 : servicesPort + index;
  });
  const api = Array.from({ length: hosts }, (_, index) => (apiPort === 0 ? 0 : apiPort + index));
  const chosen = await Promise.all([...wanted, ...api].map(tryPort));
  const taken = [...names.map((name) => services[name].label), ...api.map(() => "API")]
    .map((label, index) => ({ label, port: [...wanted, ...api][index], free: chosen[index] !== undefined }))
    .filter(({ free }) => !free);
  if (taken.length > 0) {
    const list = taken.map(({ label, port }) => `${port} (${label})`).join(", ");
    const flag = taken.every(({ label }) => label === "API") ? "--port" : "--services-port";
    throw new PortsTaken(
      `Taken: ${list}. Stop what listens there (another Interlock?), or choose other ports with ${flag}`,
    );
  }
  const free = chosen as number[];
  const ports = Object.fromEntries(names.map((name, index) => [name, free[index]])) as ServicePorts;
  return { services: ports, api: free.slice(names.length) };
}

/** Answers with the port if it is free, and with a free one for 0. */
async function tryPort(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return undefined;
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : undefined;
}
