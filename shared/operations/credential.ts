import type { Endpoint } from "../config/route-schema.ts";
import { isStatus } from "../ledgers/storage-error.ts";
import { headerProblem } from "./header-names.ts";
import { configInvalid, secretMissing, secretUnavailable } from "./refusals.ts";

/** The value of a tenant's secret. Rejects with status 404 where there is none of that name. */
export type SecretOf = (secretName: string) => Promise<string>;

type Auth = NonNullable<Endpoint["auth"]>;

export interface Credential {
  readonly header: string;
  readonly value: string;
  /** Texts that may never be repeated, should the vendor do so. */
  readonly secrets: readonly string[];
}

export async function fetchCredential(auth: Auth, secretOf: SecretOf): Promise<Credential> {
  const { secretName, username = "" } = auth;
  const secret = await secretOf(secretName).catch((error: unknown) => {
    throw isStatus(error, 404) ? secretMissing(secretName) : secretUnavailable(secretName, error);
  });
  const encoded = Buffer.from(`${username}:${secret}`).toString("base64");
  const credential = credentialHeader(auth, secret, encoded);
  // A line break, usually pasted along, cannot be sent; refused here, where the value is in no error.
  const sendable = secret !== "" && /^[\u0020-\u007e\u0080-\u00ff]+$/.test(credential.value);
  if (!sendable) throw secretMissing(secretName);
  return { ...credential, secrets: [secret, encoded] };
}

/** The header as a dry run shows it: which secret would be sent, and not the secret. */
export function namedCredential(auth: Auth): Pick<Credential, "header" | "value"> {
  const named = `<secret ${auth.secretName}>`;
  return credentialHeader(auth, named, named);
}

function credentialHeader(auth: Auth, secret: string, encoded: string): Pick<Credential, "header" | "value"> {
  if (auth.scheme !== "header") {
    const value = auth.scheme === "bearer" ? `Bearer ${secret}` : `Basic ${encoded}`;
    return { header: "authorization", value };
  }
  const { header = "" } = auth;
  const problem = headerProblem(header);
  if (problem !== undefined) throw configInvalid(problem);
  return { header: header.toLowerCase(), value: secret };
}
