import type { AuditEntry } from "./entry.ts";

/** An entry as the API shows it. */
export function shownEntry({ tenantId: _, details, ...entry }: AuditEntry): object {
  return { ...entry, details: detailsOf(details) };
}

/** Somebody may have tampered with the text: that is for `verify` to say, and no reason not to show the rest. */
function detailsOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value
      : { unreadable: true };
  } catch {
    return { unreadable: true };
  }
}
