/**
 * Does the same with each message of a batch, all at once. A batch is settled as one, so that one that cannot be done
 * brings the others back too; they must not mind being done again.
 */
export async function allOf(messages: unknown, handle: (message: unknown) => Promise<void>): Promise<void> {
  const batch: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  const results = await Promise.allSettled(batch.map(handle));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw toError(failed.reason);
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
