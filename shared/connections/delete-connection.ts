import { closeHook, hooksTable } from "../ledgers/hooks.ts";
import { type Change, changeConnection, ownConnection } from "./change-connection.ts";
import { deleteSecrets } from "./hook-secrets.ts";

/**
 * Takes the connection out of use for good; its row stays, for the events that name it. The row says so first: should
 * the rest fail, nothing is accepted any more, and deleting it again completes the rest.
 */
export async function deleteConnection(change: Change): Promise<void> {
  const { platform, caller, connectionId, now } = change;
  const { connection } = await ownConnection(platform, caller, connectionId);
  if (connection.deletedAt === undefined) {
    await changeConnection(change, (current) => ({
      ...current,
      enabled: false,
      secretVersions: [],
      deletedAt: now,
    }));
  }
  await closeHook(await platform.table(hooksTable), connectionId);
  await deleteSecrets(await platform.secrets(), connectionId);
}
