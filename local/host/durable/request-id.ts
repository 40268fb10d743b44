import { createHash } from "node:crypto";

/** Made anew on every replay, so it must follow from the place in the orchestration alone. */
export function requestId(seed: string): string {
  const hex = createHash("sha256").update(seed).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
