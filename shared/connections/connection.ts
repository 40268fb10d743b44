/** Whether the ingest names an event's subject, or a dispatcher behind the bus does. */
export const patterns = ["specific", "generic"] as const;
/** What becomes of an event that no route matches. */
export const unmatchedPolicies = ["ignore", "dead-letter"] as const;

/** How many events a connection may send; what comes above it is refused with 429. */
export interface RateLimit {
  readonly maxEventsPerMinute: number;
  /** So many more at once, after a quiet time. */
  readonly burstAllowance: number;
  /** Whether every refusal makes the next wait longer. */
  readonly backoffOnLimit: boolean;
}

/** A tenant's link to a source: where its webhooks come in, and how they are checked. */
export interface Connection {
  /** Also the hook's address. */
  readonly connectionId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly source: string;
  readonly scheme: string;
  /** Fits the scheme's `configSchema`. */
  readonly schemeConfig?: unknown;
  /** Fits the source's `configSchema`. */
  readonly normaliserConfig?: unknown;
  readonly pattern: (typeof patterns)[number];
  readonly onUnmatched: (typeof unmatchedPolicies)[number];
  /** CIDR blocks, v4 and v6; empty: from everywhere. */
  readonly allowedIps: readonly string[];
  readonly rateLimit?: RateLimit;
  readonly maxBodyBytes: number;
  readonly enabled: boolean;
  /** Versions of the vault's secret that count, the oldest first: two of them while one is being replaced. */
  readonly secretVersions: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Its hook is gone for good; the record stays for the history that names it. */
  readonly deletedAt?: Date;
}

/** As the largest webhook GitHub sends. */
export const largestBody = 25 * 1024 * 1024;

/** Name in the vault of a connection's webhook secrets; each secret is a version of it. */
export function hookSecretName(connectionId: string): string {
  return `hook-${connectionId}`;
}
