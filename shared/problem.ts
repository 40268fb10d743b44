import { type Fault, faults } from "./faults.ts";

export interface ProblemResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A fault as RFC 9457 problem details: what, why, what to do, and under which id it can be found again. */
export function problemResponse({ code, message }: Fault, correlationId: string): ProblemResponse {
  const { status, says, remedy } = faults[code];
  const problem = {
    type: `urn:interlock:fault:${code}`,
    title: says,
    status,
    detail: message,
    code,
    remedy,
    correlationId,
  };
  return { status, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(problem) };
}
