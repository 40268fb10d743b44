import { lockData } from "../process/data-lock.ts";
import { Journal, memoryLog, type ChangeLog } from "./journal.ts";
import { answer, type Answer, type Call } from "./routes.ts";
import { SecretStore } from "./store.ts";
import { VaultState } from "./vault-state.ts";

export interface Vault {
  /** Answers, or throws a `VaultError`, once everything the answer rests on is safe. */
  answer(call: Call): Promise<Answer>;
  close(): Promise<void>;
}

export async function openVault(file: string | undefined, now: () => number): Promise<Vault> {
  const state = new VaultState();
  const { log, unlock } = await openLog(file, state);
  const store = new SecretStore(
    state,
    (change) => log.record(change),
    () => Math.floor(now() / 1000),
  );
  return {
    async answer(call) {
      try {
        return answer(store, call);
      } finally {
        await log.durable();
      }
    },
    async close() {
      try {
        await log.close();
      } finally {
        unlock();
      }
    },
  };
}

async function openLog(
  file: string | undefined,
  state: VaultState,
): Promise<{ log: ChangeLog; unlock: () => void }> {
  if (file === undefined) return { log: memoryLog, unlock: () => {} };
  const unlock = await lockData(file);
  try {
    return { log: await Journal.open(file, state), unlock };
  } catch (error) {
    unlock();
    throw error;
  }
}
