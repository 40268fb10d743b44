import { randomBytes } from "node:crypto";

import { deletedButRecoverable, deletedSecretNotFound, secretDisabled, secretNotFound } from "./errors.ts";
import type { Change, DeletedSecret, Secret, SecretProperties, SecretVersion } from "./secret.ts";
import type { VaultState } from "./vault-state.ts";

const retentionSeconds = 90 * 86_400;

/**
 * The rules of a vault. Every method decides on the state as it is, and what it changes is recorded before the
 * method returns, so that the order on disk is the order in which things happened.
 */
export class SecretStore {
  readonly #state: VaultState;
  readonly #record: (change: Change) => void;
  readonly #nowSeconds: () => number;

  constructor(state: VaultState, record: (change: Change) => void, nowSeconds: () => number) {
    this.#state = state;
    this.#record = record;
    this.#nowSeconds = nowSeconds;
  }

  /** Always a new version, which is the latest at once, enabled or not. */
  set(name: string, value: string, properties: SecretProperties): { secret: Secret; version: SecretVersion } {
    this.#purgeDue();
    if (this.#state.deletedSecret(name)) throw deletedButRecoverable(name);
    const now = this.#nowSeconds();
    const id = randomBytes(16).toString("hex");
    const version = { id, value, properties, created: now, updated: now };
    this.#change({ kind: "set", name, version });
    return { secret: this.secret(name), version };
  }

  update(name: string, id: string | undefined, changed: Partial<SecretProperties>): SecretVersion {
    const version = this.version(name, id);
    const properties = { ...version.properties, ...changed };
    this.#change({ kind: "update", name, id: version.id, properties, updated: this.#nowSeconds() });
    return this.version(name, version.id);
  }

  /** The version as it may be handed out. A disabled latest version does not fall back to the one before. */
  readable(name: string, id: string | undefined): SecretVersion {
    const version = this.version(name, id);
    if (!version.properties.enabled) throw secretDisabled();
    return version;
  }

  version(name: string, id: string | undefined): SecretVersion {
    const secret = this.secret(name);
    const version = id === undefined ? secret.latest : secret.versions.get(id);
    if (!version) throw secretNotFound(name, id);
    return version;
  }

  secret(name: string): Secret {
    const secret = this.#state.secret(name);
    if (!secret) throw secretNotFound(name);
    return secret;
  }

  secrets(): Iterable<Secret> {
    return this.#state.secrets();
  }

  delete(name: string): DeletedSecret {
    this.secret(name);
    const now = this.#nowSeconds();
    this.#change({ kind: "delete", name, deletedAt: now, purgeAt: now + retentionSeconds });
    return this.deletedSecret(name);
  }

  deletedSecret(name: string): DeletedSecret {
    this.#purgeDue();
    const deleted = this.#state.deletedSecret(name);
    if (!deleted) throw deletedSecretNotFound(name);
    return deleted;
  }

  deletedSecrets(): Iterable<DeletedSecret> {
    this.#purgeDue();
    return this.#state.deletedSecrets();
  }

  recover(name: string): Secret {
    this.deletedSecret(name);
    this.#change({ kind: "recover", name });
    return this.secret(name);
  }

  purge(name: string): void {
    this.deletedSecret(name);
    this.#change({ kind: "purge", name });
  }

  /** Nobody waits for the end of the retention, so it is enough to look when somebody asks. */
  #purgeDue(): void {
    const now = this.#nowSeconds();
    const due = [...this.#state.deletedSecrets()].filter(({ purgeAt }) => purgeAt <= now);
    for (const { secret } of due) this.#change({ kind: "purge", name: secret.name });
  }

  #change(change: Change): void {
    this.#state.apply(change);
    this.#record(change);
  }
}
