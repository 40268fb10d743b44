import type { Change, DeletedSecret, Secret, SecretVersion } from "./secret.ts";

interface LiveSecret extends Secret {
  latest: SecretVersion;
  readonly versions: Map<string, SecretVersion>;
}

interface DeadSecret extends DeletedSecret {
  readonly secret: LiveSecret;
}

const keyOf = (name: string): string => name.toLowerCase();

/** What the vault holds, as a fold over changes; whether a change is allowed was decided before. */
export class VaultState {
  readonly #live = new Map<string, LiveSecret>();
  readonly #deleted = new Map<string, DeadSecret>();

  secret(name: string): Secret | undefined {
    return this.#live.get(keyOf(name));
  }

  deletedSecret(name: string): DeletedSecret | undefined {
    return this.#deleted.get(keyOf(name));
  }

  secrets(): Iterable<Secret> {
    return this.#live.values();
  }

  deletedSecrets(): Iterable<DeletedSecret> {
    return this.#deleted.values();
  }

  apply(change: Change): void {
    const key = keyOf(change.name);
    switch (change.kind) {
      case "set":
        return this.#set(key, change.name, change.version);
      case "update": {
        const { id, properties, updated } = change;
        const secret = this.#live.get(key);
        const version = secret?.versions.get(id);
        if (!secret || !version) return;
        const changed = { ...version, properties, updated };
        secret.versions.set(id, changed);
        if (secret.latest.id === id) secret.latest = changed;
        return;
      }
      case "delete": {
        const secret = this.#live.get(key);
        if (!secret) return;
        this.#live.delete(key);
        this.#deleted.set(key, { secret, deletedAt: change.deletedAt, purgeAt: change.purgeAt });
        return;
      }
      case "recover": {
        const deleted = this.#deleted.get(key);
        if (!deleted) return;
        this.#deleted.delete(key);
        this.#live.set(key, deleted.secret);
        return;
      }
      case "purge":
        this.#deleted.delete(key);
        return;
    }
  }

  /** The shortest list of changes that makes this state out of nothing. */
  *image(): Iterable<Change> {
    for (const { secret, deletedAt, purgeAt } of this.#deleted.values()) {
      yield* setsOf(secret);
      yield { kind: "delete", name: secret.name, deletedAt, purgeAt };
    }
    for (const secret of this.#live.values()) yield* setsOf(secret);
  }

  #set(key: string, name: string, version: SecretVersion): void {
    const secret = this.#live.get(key);
    if (secret) {
      secret.versions.set(version.id, version);
      secret.latest = version;
    } else {
      this.#live.set(key, { name, latest: version, versions: new Map([[version.id, version]]) });
    }
  }
}

function* setsOf({ name, versions }: Secret): Iterable<Change> {
  for (const version of versions.values()) yield { kind: "set", name, version };
}
