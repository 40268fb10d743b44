import type { Refusal, Scheme, Verdict, VerificationInput, Webhook } from "../source.ts";
import { anyEqual } from "./digest.ts";

/** What a scheme checks: there is at least one secret, and none is empty. */
export interface Signed {
  readonly webhook: Webhook;
  readonly secrets: readonly [string, ...string[]];
  readonly now: Date;
  readonly config: unknown;
}

interface SchemeDefinition {
  readonly name: string;
  readonly check: (signed: Signed) => Verdict;
  readonly configSchema?: object;
  readonly secretProblem?: (secret: string) => string | undefined;
}

/** Makes sure, for every scheme alike, that a webhook without a secret to check it by is refused. */
export function defineScheme({ check, ...rest }: SchemeDefinition): Scheme {
  return {
    ...rest,
    verify({ secrets, ...input }: VerificationInput) {
      const [first, ...others] = secrets.filter((secret) => secret.trim() !== "");
      return first === undefined ? refused("no-secret") : check({ ...input, secrets: [first, ...others] });
    },
  };
}

export function refused(reason: Refusal): Verdict {
  return { kind: "refused", reason };
}

/** `fresh` is for schemes that sign a timestamp. */
export function judge(
  given: readonly Uint8Array[],
  expected: readonly Uint8Array[],
  fresh: boolean = true,
): Verdict {
  return verdictOf(anyEqual(given, expected), fresh);
}

/**
 * The signature is judged before its age: `stale` then always means a genuine webhook that came too late, which calls
 * for another look than a forged one.
 */
export function verdictOf(genuine: boolean, fresh: boolean): Verdict {
  if (!genuine) return refused("mismatch");
  return fresh ? { kind: "verified" } : refused("stale");
}
