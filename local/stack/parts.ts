import { join } from "node:path";

import { localSettings } from "../../shared/settings.ts";
import { workerMemory } from "../host/worker-memory.ts";
import type { PartDefinition } from "./child.ts";
import type { ServicePorts } from "./ports.ts";

interface Places {
  readonly root: string;
  readonly dataDir: string;
  readonly ports: ServicePorts;
}

/** The services, each with its script and where it keeps its data. They do not depend on one another. */
export function servicePartsOf({ root, dataDir, ports }: Places): PartDefinition[] {
  return [
    {
      name: "storage",
      script: script("../storage/main.js"),
      args: [
        `--blob-port=${ports.blobs}`,
        `--queue-port=${ports.queues}`,
        `--table-port=${ports.tables}`,
        `--data=${join(dataDir, "storage")}`,
      ],
    },
    {
      name: "service-bus",
      script: script("../service-bus/main.js"),
      args: [
        `--port=${ports.bus}`,
        `--admin-port=${ports.busAdmin}`,
        `--config=${join(root, "infra/service-bus.json")}`,
        `--data=${join(dataDir, "service-bus")}`,
      ],
    },
    {
      name: "key-vault",
      script: script("../key-vault/main.js"),
      args: [`--port=${ports.vault}`, `--data=${join(dataDir, "key-vault")}`],
    },
  ];
}

export function hostPartOf(
  { root, dataDir, ports }: Places,
  port: number,
  name: string,
  json: boolean,
): PartDefinition {
  return {
    name,
    script: script("../host/run.js"),
    args: [
      "start",
      `--script-root=${root}`,
      `--port=${port}`,
      `--data=${join(dataDir, "host")}`,
      ...(json ? ["--json"] : []),
    ],
    execArgv: workerMemory,
    env: settingsFor(ports),
  };
}

/** The local settings, with the ports that were really chosen. */
export function settingsFor(ports: ServicePorts): Record<string, string> {
  const moved: [from: string, to: number][] = [
    ["127.0.0.1:10000", ports.blobs],
    ["127.0.0.1:10001", ports.queues],
    ["127.0.0.1:10002", ports.tables],
    ["127.0.0.1:5672", ports.bus],
    ["127.0.0.1:8200", ports.vault],
  ];
  return Object.fromEntries(
    Object.entries(localSettings()).map(([name, value]) => [
      name,
      moved.reduce((text, [from, to]) => text.replaceAll(from, `127.0.0.1:${to}`), value),
    ]),
  );
}

function script(path: string): URL {
  return new URL(path, import.meta.url);
}
