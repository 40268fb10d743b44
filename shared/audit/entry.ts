import { createHash } from "node:crypto";

import type { Role } from "../ledgers/api-keys.ts";

/** What somebody is about to do, or what became of it. */
export interface AuditRecord {
  readonly at: Date;
  /** The API key's id; `anonymous` for what no key was needed for. */
  readonly actor: string;
  readonly role: Role | "none";
  /** `connection.create` */
  readonly action: string;
  /** `connections/<id>` */
  readonly target: string;
  /** `intent` before the change is made, `done` or `failed` after it. */
  readonly phase: "intent" | "done" | "failed";
  readonly correlationId: string;
  /** JSON, without secrets. */
  readonly details: string;
}

/** A record in its tenant's chain. */
export interface AuditEntry extends AuditRecord {
  readonly tenantId: string;
  /** From 1, without gaps. */
  readonly seq: number;
  readonly prevHash: string;
  readonly hash: string;
}

/** What the first entry of a chain follows. */
export const genesisHash = "0".repeat(64);

export function chained(
  tenantId: string,
  record: AuditRecord,
  { seq, hash }: Pick<AuditEntry, "seq" | "hash">,
): AuditEntry {
  const entry = { ...record, tenantId, seq: seq + 1, prevHash: hash };
  return { ...entry, hash: hashOf(entry) };
}

/** Covers everything an entry says. A list in a fixed order has one JSON text, so it is canonical as it is. */
export function hashOf(entry: Omit<AuditEntry, "hash">): string {
  const { tenantId, seq, at, actor, role, action, target, phase, correlationId, details, prevHash } = entry;
  const said = [
    tenantId,
    seq,
    at.toISOString(),
    actor,
    role,
    action,
    target,
    phase,
    correlationId,
    details,
    prevHash,
  ];
  return createHash("sha256").update(JSON.stringify(said)).digest("hex");
}
