/** Everything validation can find in a configuration. An error keeps it from being stored, a warning does not. */
export const diagnosticCodes = {
  TOO_DEEP: "error",
  SCHEMA: "error",
  DUPLICATE_NAME: "error",
  /** A profile or formula with the name of a built-in one. */
  RESERVED_NAME: "error",
  UNKNOWN_ENDPOINT: "error",
  UNKNOWN_RETRY_PROFILE: "error",
  UNKNOWN_RATE_PROFILE: "error",
  UNKNOWN_KEY_FORMULA: "error",
  /** A subscription names a route that is not there. */
  UNKNOWN_ROUTE: "error",
  UNREACHABLE_ROUTE: "error",
  TOO_MANY_RETRIES: "error",
  BAD_PATH: "error",
  BAD_TEMPLATE: "error",
  BAD_FILTER: "error",
  /** A key that differs between two copies of the same event protects nothing. */
  UNSTABLE_KEY: "error",
  AUTH_INCOMPLETE: "error",
  SECRET_IN_CONFIG: "error",
  BAD_ADDRESS: "error",
  PLAIN_HTTP: "warning",
  UNKNOWN_SUBJECT: "warning",
  UNKNOWN_CONNECTION: "warning",
  SHADOWED_ROUTE: "warning",
  IN_DOUBT_PARKS: "warning",
  /** The same key for every event of a route, or for events of several routes. */
  BROAD_KEY: "warning",
} as const satisfies Record<string, Severity>;

export type Severity = "error" | "warning";
export type DiagnosticCode = keyof typeof diagnosticCodes;

export interface Diagnostic {
  readonly severity: Severity;
  readonly code: DiagnosticCode;
  /** Where in the configuration: `routes[2].endpointKey`. */
  readonly path: string;
  readonly message: string;
  /** What to write instead, where that can be told. */
  readonly suggestion?: string;
}

export function diagnostic(
  code: DiagnosticCode,
  path: string,
  message: string,
  suggestion?: string,
): Diagnostic {
  const found = { severity: diagnosticCodes[code], code, path, message };
  return suggestion === undefined ? found : { ...found, suggestion };
}
