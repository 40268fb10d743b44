import type { FaultCode } from "../faults.ts";
import type { Endpoint } from "./endpoint.ts";

/** Every fault an endpoint can answer with: its own, and those of the checks that come before its handler. */
export function faultsOf(endpoint: Endpoint): readonly FaultCode[] {
  const { role, params, body, takesIfMatch, faults = [] } = endpoint;
  if (role === "public") return faults;
  const codes = new Set<FaultCode>(["request-invalid", "api-key-missing", "api-key-invalid"]);
  if (role !== "viewer") codes.add("role-insufficient");
  if (body !== undefined) {
    for (const code of ["body-not-json", "body-too-large", "unsupported-media-type"] as const)
      codes.add(code);
  }
  if (params !== undefined) codes.add("not-found");
  if (takesIfMatch === true) codes.add("precondition-failed");
  for (const code of [...faults, "unexpected", "unavailable"] as const) codes.add(code);
  return [...codes];
}
