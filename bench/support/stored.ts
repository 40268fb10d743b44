import type { TransactionAction } from "@azure/data-tables";

import { allShards, newId } from "../../shared/envelope/ids.ts";
import { makeEnvelope } from "../../shared/ingest/make-envelope.ts";
import { inboxTable, storeWebhook, type StoredWebhook } from "../../shared/ledgers/inbox.ts";
import { createGroupCommit } from "../../shared/platform/group-commit.ts";
import { createPlatform } from "../../shared/platform/platform.ts";
import type { BenchArguments } from "./arguments.ts";
import { measureIngest } from "./ingest-measure.ts";
import { milliseconds, printTable, whole } from "./print.ts";
import { rateAt } from "./rate.ts";
import type { BenchServices } from "./stack.ts";
import type { Vendor } from "./vendor-process.ts";
import { webhookBody } from "./webhook-requests.ts";

const tenantId = "demo";

/** Fills the inbox with so many webhooks, then measures accepting more, and beside it what the storage alone does. */
export async function measureStored(
  services: BenchServices,
  vendor: Vendor,
  given: BenchArguments,
  size: number,
): Promise<void> {
  const inbox = await createPlatform(services.settings).table(inboxTable);
  await fillInbox(services, size);
  const options = { only: [64], firstNumber: size + 1 };
  const { accepted, seconds, answers } = (await measureIngest(services, vendor, given, options)).get(64)!;
  const bare = await rateAt(4, given.quick ? 1 : 5, () => inbox.submitTransaction(sixteenRows()));
  console.log(`\nWith ${whole(size)} webhooks in the inbox`);
  const times = (of: typeof answers): string[] => [of.p50, of.p99, of.max].map(milliseconds);
  printTable(
    ["", "at a time", "a second", "p50 ms", "p99 ms", "max ms"],
    [
      ["accepted and routed", "64", whole(accepted / seconds), ...times(answers)],
      ["storage alone, 16 such rows in a transaction", "4", whole(bare.perSecond), ...times(bare)],
    ],
  );
}

/** By the product's own ledger, as many at a time as share its transactions well. */
export async function fillInbox({ settings }: BenchServices, size: number): Promise<void> {
  const inbox = await createPlatform(settings).table(inboxTable);
  const commit = createGroupCommit(inbox);
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let number = next++; number < size; number = next++)
      await storeWebhook(commit, inbox, storedWebhook(number), newId());
  };
  await Promise.all(Array.from({ length: 800 }, lane));
}

function storedWebhook(number: number): StoredWebhook {
  const id = newId();
  const body = webhookBody(number);
  const origin = {
    tenantId,
    connectionId: "0123456789abcdef0123456789abcdef",
    sourceSystem: "github",
    eventId: id,
    payloadHash: id.repeat(2),
    traceparent: `00-${id}-${id.slice(16)}-01`,
    receivedAt: new Date(),
  };
  const about = {
    subject: "github.events.pull_request.opened",
    objectType: "pull_request",
    objectId: String(number),
    eventType: "opened",
  };
  const headers = { "user-agent": "GitHub-Hookshot/044aadd", "x-github-event": "pull_request" };
  const envelope = makeEnvelope(origin, about);
  return { envelope, contentType: "application/json", headers, size: body.length, body };
}

/** In the layout of the inbox, and in one of its partitions. */
function sixteenRows(): TransactionAction[] {
  const shard = allShards[Math.floor(Math.random() * allShards.length)];
  return Array.from({ length: 16 }, (_, number): TransactionAction => {
    const { envelope, headers, ...webhook } = storedWebhook(number);
    const row = { ...webhook, envelope: JSON.stringify(envelope), headers: JSON.stringify(headers) };
    return ["create", { partitionKey: `${tenantId}|${shard}`, rowKey: `e|${envelope.id}`, ...row }];
  });
}
