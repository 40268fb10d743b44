import { join, relative } from "node:path";

import { version } from "../../shared/version.ts";
import type { Stack } from "./stack.ts";

/** What a person needs after the start: where everything is, a key, and the first steps with it. */
export function screen(stack: Stack, dataDir: string, tookMs: number): string {
  const { ports, apiUrls, apiKey } = stack;
  const [api] = apiUrls;
  const lines = [
    `Interlock ${version} is ready after ${(tookMs / 1000).toFixed(1)} s`,
    "",
    ...apiUrls.map((url, index) => row(index === 0 ? "API" : "", `${url}/api`)),
    ...(api === undefined ? [] : [row("Health", `${api}/api/health/ready`)]),
    row("Service Bus", `127.0.0.1:${ports.bus}, administration http://127.0.0.1:${ports.busAdmin}`),
    row("Key Vault", `http://127.0.0.1:${ports.vault}`),
    row("Storage", `127.0.0.1, blobs ${ports.blobs}, queues ${ports.queues}, tables ${ports.tables}`),
    row("Data", `${dataDir} (npm start -- --reset begins empty)`),
    row("Tenant", "demo"),
    row("API key", apiKey),
    "",
  ];
  if (api === undefined) {
    return [...lines, "Start a host on these services: func start, or npm run host -- start", ""].join("\n");
  }
  return [...lines, ...firstSteps(api, apiKey, dataDir), "", "Ctrl-C stops everything.", ""].join("\n");
}

/** From here to a webhook that was acted on; docs/quick-start.md goes on where these end. */
function firstSteps(api: string, apiKey: string, dataDir: string): readonly string[] {
  const call = (path: string): string =>
    `${api}/api/v1/${path} -H "x-api-key: $KEY" -H "content-type: application/json"`;
  const connection = argument(join(dataDir, "github.json"));
  const made = `-d '{"name":"Our repository","source":"github"}' | tee ${connection}`;
  return [
    "First steps, in two other terminals (README.md and docs/quick-start.md explain them):",
    "",
    "  npm run sink -- --port 9000",
    "",
    `  KEY=${apiKey}`,
    `  curl -s ${call("connections")} ${made}`,
    `  curl -s -X PUT ${call("config/routes")} -d @docs/examples/first-route.json`,
    `  npm run send -- github --connection ${connection}`,
  ];
}

/** A path as short as it can be typed here. */
function argument(path: string): string {
  const fromHere = relative(process.cwd(), path);
  const shorter = fromHere.startsWith("..") ? path : fromHere;
  return /^[\w./-]+$/.test(shorter) ? shorter : `"${shorter}"`;
}

function row(label: string, value: string): string {
  return `  ${label.padEnd(12)} ${value}`;
}
