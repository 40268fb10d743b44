import type { Answer } from "../api/answer.ts";
import type { AuditRule } from "../api/endpoint.ts";
import { audited, type Change } from "../audit/audited.ts";
import type { Services } from "../services.ts";

/** What starting a replay leaves in the audit. */
const rule: AuditRule = {
  action: "replay.start",
  target: "replays/{replayId}",
  details: [
    "failureIds",
    "failures",
    "events",
    "config",
    "ratePerMinute",
    "stages",
    "stopAboveFailureRatio",
    "maxItems",
  ],
};

/** The endpoint has no rule of its own, since a dry run, which it serves too, changes nothing and leaves no trace. */
export function auditedStart(
  services: Services,
  change: Omit<Change, "params">,
  make: () => Promise<Answer>,
): Promise<Answer> {
  return audited(services.audit, rule, { ...change, params: {} }, make);
}
