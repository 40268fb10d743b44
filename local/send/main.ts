import { join } from "node:path";

import { StartError } from "../start-error.ts";
import { readSendCommand, type SendCommand, usage } from "./command-line.ts";
import { deliver, deliverAll } from "./deliver.ts";
import { makeWebhook } from "./make-webhook.ts";
import { newDeliveryId } from "./occurrence.ts";
import { readBody, readConnection } from "./read-files.ts";
import { heading, report } from "./report.ts";
import { vendors } from "./vendors.ts";

const example = join(import.meta.dirname, "../../../docs/examples/generic-connection.json");
const argv = process.argv.slice(2);

if (argv.includes("--help") || argv.includes("-h")) process.stdout.write(usage);
else {
  try {
    await send(readSendCommand(argv, process.env, readConnection));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

async function send(command: SendCommand): Promise<void> {
  const { hook, secret, event, tamper, atOnce } = command;
  const vendor = vendors[command.vendor];
  const content = command.file === undefined ? vendor.samples[event] : readBody(command.file);
  const hmacSettings = command.hmacSettings ?? readConnection(example).schemeConfig;
  if (content === undefined || hmacSettings === undefined) throw new Error("The samples are incomplete");
  const ids = Array.from({ length: command.times }, () => command.deliveryId ?? newDeliveryId(new Date()));
  console.log(heading(command, ids));
  const began = performance.now();
  const answers = await deliverAll(ids, atOnce, (deliveryId) => {
    const sentAt = new Date();
    const wanted = { secret, deliveryId, sentAt, hmacSettings, event, content, tamper };
    return deliver(hook, makeWebhook(vendor, wanted));
  });
  console.log(report(hook, answers, performance.now() - began));
  if (answers.some(({ status }) => status >= 300)) process.exitCode = 1;
}
