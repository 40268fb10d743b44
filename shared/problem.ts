import { type Fault, faults } from "./faults.ts";

export interface ProblemResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const problemContentType = "application/problem+json";

/** A fault as RFC 9457 problem details: what, why, what to do, and under which id it can be found again. */
export function problemResponse(fault: Fault, correlationId: string): ProblemResponse {
  const { code, message, errors, retryAfterSeconds } = fault;
  const { status, says, remedy } = faults[code];
  const problem = {
    type: `urn:interlock:fault:${code}`,
    title: says,
    status,
    detail: message,
    code,
    remedy,
    correlationId,
    ...(errors.length > 0 && { errors }),
  };
  const headers: Record<string, string> = {
    "content-type": problemContentType,
    "x-correlation-id": correlationId,
  };
  if (retryAfterSeconds !== undefined) headers["retry-after"] = String(Math.ceil(retryAfterSeconds));
  return { status, headers, body: JSON.stringify(problem) };
}
