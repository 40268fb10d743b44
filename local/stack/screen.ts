import { version } from "../../shared/version.ts";
import type { Stack } from "./stack.ts";

/** What a person needs after the start: where everything is, a key, and something to try. */
export function screen(stack: Stack, dataDir: string, tookMs: number): string {
  const { ports, apiUrls, apiKey } = stack;
  const [api] = apiUrls;
  const lines = [
    `Interlock ${version} is ready after ${(tookMs / 1000).toFixed(1)} s`,
    "",
    ...apiUrls.map((url, index) => row(index === 0 ? "API" : "", `${url}/api`)),
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
  return [
    ...lines,
    "Try, in another terminal:",
    "",
    `  curl -s ${api}/api/health/ready`,
    `  curl -s ${api}/api/v1/me -H "x-api-key: ${apiKey}"`,
    `  curl -s "${api}/runtime/webhooks/durabletask/instances/self-check?showHistory=true"`,
    "",
    "Ctrl-C stops everything.",
    "",
  ].join("\n");
}

function row(label: string, value: string): string {
  return `  ${label.padEnd(12)} ${value}`;
}
