import { readFileSync } from "node:fs";
import { join } from "node:path";

import { messageOf, StartError } from "../start-error.ts";
import { readSendCommand, type SendCommand, usage } from "./command-line.ts";
import { deliver, deliverAll } from "./deliver.ts";
import { makeWebhook } from "./make-webhook.ts";
import { newDeliveryId } from "./occurrence.ts";
import { report } from "./report.ts";
import type { HmacSettings, Sample } from "./vendor.ts";
import { vendors } from "./vendors.ts";

const root = join(import.meta.dirname, "../../..");
const argv = process.argv.slice(2);

if (argv.includes("--help") || argv.includes("-h")) process.stdout.write(usage);
else {
  try {
    await send(readSendCommand(argv, process.env));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

async function send(command: SendCommand): Promise<void> {
  const { hook, secret, event, times, atOnce, tamper } = command;
  const vendor = vendors[command.vendor];
  const content = contentOf(command);
  const hmacSettings = settingsIn(command.connectionFile ?? join(root, "docs/examples/generic-connection.json"));
  const idOf = (): string => command.deliveryId ?? newDeliveryId(new Date());
  const only = times === 1 ? ` with the delivery id ${(command.deliveryId ??= idOf())}` : "";
}
