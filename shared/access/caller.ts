import type { Role } from "../ledgers/api-keys.ts";
import { roles } from "../ledgers/api-keys.ts";
import { Fault } from "../faults.ts";

/** Who calls: every store access below is made in the name of this tenant. */
export interface Caller {
  readonly tenantId: string;
  readonly keyId: string;
  readonly role: Role;
}

/** Roles are a ladder: each may do what the ones before it may. */
export function assertRole(caller: Caller, needed: Role): void {
  if (roles.indexOf(caller.role) >= roles.indexOf(needed)) return;
  throw new Fault("role-insufficient", `This needs the role ${needed}; the key has the role ${caller.role}.`);
}

/** Whatever belongs to another tenant is as if it did not exist, to the letter of the answer. */
export function assertTenant<Row extends { readonly tenantId: string }>(
  caller: Pick<Caller, "tenantId">,
  row: Row | undefined,
): asserts row is Row {
  if (row?.tenantId !== caller.tenantId) throw new Fault("not-found");
}
