/** What can be changed of a version after it was made. Times are whole seconds since the epoch, as on the wire. */
export interface SecretProperties {
  readonly enabled: boolean;
  /** Advisory, as in the service: a secret outside these times is still handed out. */
  readonly notBefore?: number;
  readonly expires?: number;
  readonly contentType?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

export interface SecretVersion {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly value: string;
  readonly properties: SecretProperties;
  readonly created: number;
  readonly updated: number;
}

export interface Secret {
  /** As it was written first; names are compared without regard to case. */
  readonly name: string;
  readonly latest: SecretVersion;
  readonly versions: ReadonlyMap<string, SecretVersion>;
}

export interface DeletedSecret {
  readonly secret: Secret;
  readonly deletedAt: number;
  readonly purgeAt: number;
}

/** Everything that can happen to the vault. What is kept on disk is a list of these. */
export type Change =
  | { readonly kind: "set"; readonly name: string; readonly version: SecretVersion }
  | {
      readonly kind: "update";
      readonly name: string;
      readonly id: string;
      readonly properties: SecretProperties;
      readonly updated: number;
    }
  | { readonly kind: "delete"; readonly name: string; readonly deletedAt: number; readonly purgeAt: number }
  | { readonly kind: "recover"; readonly name: string }
  | { readonly kind: "purge"; readonly name: string };
