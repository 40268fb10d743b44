import type { DeletedSecret, Secret, SecretVersion } from "./secret.ts";

/** The shapes a vault answers with. Ids begin with the address the client used, whatever it was. */
export interface Bundles {
  readonly withValue: (secret: Secret, version: SecretVersion) => object;
  readonly withoutValue: (secret: Secret, version: SecretVersion) => object;
  /** An entry of the list of secrets names no version. */
  readonly secretItem: (secret: Secret) => object;
  readonly deleted: (deleted: DeletedSecret) => object;
  readonly deletedItem: (deleted: DeletedSecret) => object;
}

export function bundlesFor(base: string): Bundles {
  const withoutValue = (secret: Secret, version: SecretVersion): object => ({
    id: `${base}/secrets/${secret.name}/${version.id}`,
    ...describe(version),
  });
  const secretItem = (secret: Secret): object => ({
    id: `${base}/secrets/${secret.name}`,
    ...describe(secret.latest),
  });
  const deletion = ({ secret, deletedAt, purgeAt }: DeletedSecret): object => ({
    recoveryId: `${base}/deletedsecrets/${secret.name}`,
    deletedDate: deletedAt,
    scheduledPurgeDate: purgeAt,
  });
  return {
    withValue: (secret, version) => ({ value: version.value, ...withoutValue(secret, version) }),
    withoutValue,
    secretItem,
    deleted: (deleted) => ({ ...deletion(deleted), ...withoutValue(deleted.secret, deleted.secret.latest) }),
    deletedItem: (deleted) => ({ ...deletion(deleted), ...secretItem(deleted.secret) }),
  };
}

function describe({ properties, created, updated }: SecretVersion): object {
  const { enabled, notBefore, expires, contentType, tags } = properties;
  return {
    contentType,
    tags,
    attributes: {
      enabled,
      nbf: notBefore,
      exp: expires,
      created,
      updated,
      recoveryLevel: "Recoverable+Purgeable",
      recoverableDays: 90,
    },
  };
}
