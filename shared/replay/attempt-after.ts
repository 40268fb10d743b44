import type { Failure } from "../ledgers/failures.ts";
import type { WorkItem } from "../work/work-item.ts";

/** The work as the next attempt after its failure. What was tried before does not count against the retry profile. */
export function attemptAfter({ attempts }: Pick<Failure, "attempts">, item: WorkItem): WorkItem {
  // The bus counts deliveries, the work its attempts: the ledger takes neither for a message that came twice.
  const attemptsBefore = Math.max(attempts, item.attempt);
  return { ...item, attempt: attemptsBefore + 1, attemptsBefore };
}
