import { invalid } from "../api/invalid.ts";

const tenYearsMs = 10 * 365.25 * 24 * 3_600_000;

/** Nobody means a key that expired before it was made, or one for a thousand years. */
export function readExpiry(text: string, now: Date): Date {
  const at = new Date(text);
  const ahead = at.getTime() - now.getTime();
  if (ahead > 0 && ahead <= tenYearsMs) return at;
  throw invalid({ path: "body.expiresAt", message: "must be in the next ten years" });
}
