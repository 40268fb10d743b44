import { randomUUID } from "node:crypto";

import { TableClient, TableServiceClient, type TableServiceClientOptions } from "@azure/data-tables";
import { BlobServiceClient, type ContainerClient, type StoragePipelineOptions } from "@azure/storage-blob";

/** Retries as a client makes them, without the waits between. */
export const promptRetries = { retryOptions: { retryDelayInMs: 1, maxRetryDelayInMs: 5 } };
export const noRetries = { retryOptions: { maxRetries: 0 } };

const unique = (prefix: string): string => `${prefix}${randomUUID().replaceAll("-", "")}`;

export function tableNamed(
  connectionString: string,
  name: string,
  options: TableServiceClientOptions = promptRetries,
): TableClient {
  return TableClient.fromConnectionString(connectionString, name, {
    allowInsecureConnection: true,
    ...options,
  });
}

/** A new, empty table with a name of its own. */
export async function newTable(
  connectionString: string,
  options?: TableServiceClientOptions,
): Promise<TableClient> {
  const table = tableNamed(connectionString, unique("t"), options);
  await table.createTable();
  return table;
}

export const tableService = (connectionString: string): TableServiceClient =>
  TableServiceClient.fromConnectionString(connectionString, { allowInsecureConnection: true });

export async function newContainer(
  connectionString: string,
  options: StoragePipelineOptions = {},
): Promise<ContainerClient> {
  const service = BlobServiceClient.fromConnectionString(connectionString, options);
  const container = service.getContainerClient(unique("c"));
  await container.create();
  return container;
}

/** Status and code of a call that must fail, wherever the client put them. */
export async function refusal(call: Promise<unknown>): Promise<{ status: unknown; code: unknown }> {
  try {
    await call;
  } catch (error) {
    const { statusCode, code, details } = error as {
      statusCode?: number;
      code?: string;
      details?: { odataError?: { code?: string }; errorCode?: string };
    };
    return { status: statusCode, code: details?.odataError?.code ?? details?.errorCode ?? code };
  }
  throw new Error("The call did not fail.");
}

/** How many of the calls succeeded, and how the others were refused. */
export async function tally(calls: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const outcomes = await Promise.all(
    calls.map((call) =>
      call.then(
        () => "ok",
        () => refusal(call).then(({ status, code }) => `${String(status)} ${String(code)}`),
      ),
    ),
  );
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}
