import { Fault } from "../faults.ts";
import {
  type Change,
  type Changed,
  changeConnection,
  ownConnection,
  refuseDeleted,
} from "./change-connection.ts";
import { checkSecret, chooseScheme } from "./check-settings.ts";
import { addSecret, disableSecret } from "./hook-secrets.ts";
import { newSecret } from "./new-secret.ts";

/** The one in use, and the one that will take its place. */
const mostSecrets = 2;

export interface AddedSecret extends Changed {
  readonly version: string;
  readonly generatedSecret?: string;
}

/** From now on webhooks signed with either secret are taken. */
export async function addConnectionSecret(change: Change, given: string | undefined): Promise<AddedSecret> {
  const { platform, caller, connectionId } = change;
  const { connection } = await ownConnection(platform, caller, connectionId);
  refuseDeleted(connection);
  const [, scheme] = chooseScheme(connection.source, connection.scheme);
  const secret = given ?? newSecret(scheme.name);
  checkSecret(scheme, secret);
  refuseMore(connection.secretVersions);
  const version = await addSecret(await platform.secrets(), connectionId, secret);
  const changed = await changeConnection(change, (current) => {
    refuseMore(current.secretVersions);
    return { ...current, secretVersions: [...current.secretVersions, version] };
  });
  return { ...changed, version, ...(given === undefined && { generatedSecret: secret }) };
}

/** From now on what is signed with this secret is refused: on every host within the age of its cache. */
export async function removeConnectionSecret(change: Change, version: string): Promise<Changed> {
  const { platform, connectionId } = change;
  const changed = await changeConnection(change, (current) => {
    if (!current.secretVersions.includes(version)) throw new Fault("not-found");
    if (current.secretVersions.length === 1) {
      throw new Fault(
        "conflict",
        "This is the connection's only secret: add the new one first, then remove this one.",
      );
    }
    return { ...current, secretVersions: current.secretVersions.filter((other) => other !== version) };
  });
  await disableSecret(await platform.secrets(), connectionId, version);
  return changed;
}

function refuseMore(versions: readonly string[]): void {
  if (versions.length < mostSecrets) return;
  throw new Fault("conflict", `There are ${mostSecrets} secrets already: remove the old one first.`);
}
