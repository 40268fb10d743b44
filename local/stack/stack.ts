import { createPlatform } from "../../shared/platform/platform.ts";
import { Part, type PartDefinition, type PartEvents } from "./child.ts";
import { hostPartOf, servicePartsOf, settingsFor } from "./parts.ts";
import { choosePorts, type ServicePorts } from "./ports.ts";
import { provision } from "./provision.ts";

export interface StackOptions {
  /** The repository: dist, infra and host.json are below it. */
  readonly root: string;
  readonly dataDir: string;
  readonly port: number;
  readonly servicesPort: number | undefined;
  readonly hosts: number;
  readonly servicesOnly: boolean;
  readonly json: boolean;
  readonly events: PartEvents & {
    /** Tables, containers and the demo tenant are in place: at the start, and again whenever storage came back. */
    onProvisioned(): void;
  };
}

export interface Stack {
  readonly ports: ServicePorts;
  readonly apiUrls: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly apiKey: string;
  readonly parts: readonly Part[];
  stop(): Promise<void>;
}

const healthyWithinMs = 30_000;

/** Services first, then what they must hold, then the hosts; it is up when every host says that it is ready. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { root, dataDir, events } = options;
  const hosts = options.servicesOnly ? 0 : options.hosts;
  const { services: ports, api } = await choosePorts(options.port, hosts, options.servicesPort);
  const places = { root, dataDir, ports };
  const parts: Part[] = [];
  const settings = settingsFor(ports);
  const provisionStorage = async (): Promise<string> => {
    const { apiKey } = await provision(createPlatform(settings), root, dataDir);
    events.onProvisioned();
    return apiKey;
  };
  let up = false;
  const partEvents: PartEvents = {
    ...events,
    onReady(name, tookMs, pid) {
      events.onReady(name, tookMs, pid);
      // One whose folder was removed under it comes back empty: making what is there again changes nothing.
      if (up && name === "storage") {
        provisionStorage().catch((error: unknown) => events.onOutput(name, `${String(error)}\n`));
      }
    },
  };
  const start = async (definition: PartDefinition): Promise<void> => {
    const part = new Part(definition, partEvents);
    parts.push(part);
    await part.start();
  };
  const stop = async (): Promise<void> => {
    // Hosts before the services they finish their work with.
    await Promise.all(parts.filter(({ name }) => name.startsWith("host")).map((part) => part.stop()));
    await Promise.all(parts.map((part) => part.stop()));
  };
  try {
    await Promise.all(servicePartsOf(places).map(start));
    const apiKey = await provisionStorage();
    up = true;
    const names = api.map((_, index) => (hosts === 1 ? "host" : `host-${index + 1}`));
    await Promise.all(
      api.map((port, index) => start(hostPartOf(places, port, names[index] ?? "host", options.json))),
    );
    const apiUrls = api.map((port) => `http://127.0.0.1:${port}`);
    await Promise.all(apiUrls.map(waitUntilHealthy));
    return { ports, apiUrls, settings, apiKey, parts, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function waitUntilHealthy(url: string): Promise<void> {
  const giveUpAt = Date.now() + healthyWithinMs;
  for (;;) {
    const response = await fetch(`${url}/api/health/ready`).catch(() => undefined);
    if (response?.ok === true) return;
    if (Date.now() > giveUpAt) {
      const said = response === undefined ? "no answer" : await response.text();
      throw new Error(`The host at ${url} did not become healthy: ${said}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
