import { failureClasses } from "../../shared/failures/classes.ts";
import { statusTable } from "../../shared/failures/classify.ts";
import { logEvents } from "../../shared/logging/log-events.ts";
import { logFields } from "../../shared/logging/log.ts";
import { failureMachine } from "../../shared/machines/failure.ts";
import type { Machine } from "../../shared/machines/machine.ts";
import { replayMachine } from "../../shared/replay/states.ts";
import { errorTable } from "../../shared/outbound/error-codes.ts";
import { table } from "./table.ts";

export function failuresPage(): string {
  const classes = Object.entries(failureClasses).map(([name, { family, retried, action }]) => [
    name,
    family,
    retried ? "yes" : "no",
    action,
  ]);
  const statuses = statusTable.map(({ status, classification, meaning, mayHaveHappened }) => [
    status,
    classification,
    mayHaveHappened ? "yes" : "",
    meaning,
  ]);
  const errors = errorTable.map(({ code, classification, meaning }) => [
    `\`${code}\``,
    classification,
    meaning,
  ]);
  return [
    "<!-- printed from shared/failures/ and shared/outbound/error-codes.ts; run npm run docs -->",
    "",
    "# Failures",
    "",
    "Whatever goes wrong on a route becomes one failure, of one of five classes. The class decides what happens next; a route's",
    "`statusClasses` can say otherwise for a vendor that uses a status in its own way.",
    "",
    table(["class", "family", "retried", "what happens"], classes),
    "",
    "## By the vendor's answer",
    "",
    "Where the effect may have happened all the same, the vendor is asked before the next attempt (see `inDoubt` in",
    "[routes](routes.md)).",
    "",
    table(["status", "class", "may have happened", "meaning"], statuses),
    "",
    "## Without an answer",
    "",
    table(["code", "class", "meaning"], errors),
    "",
  ].join("\n");
}

export function machinesPage(): string {
  return [
    "<!-- printed from shared/machines/ and shared/replay/states.ts; run npm run docs -->",
    "",
    "# State machines",
    "",
    "A move that is not in the table is refused by the store.",
    "",
    ...machineSection(failureMachine),
    ...machineSection(replayMachine),
  ].join("\n");
}

function machineSection<Name extends string>({ name, start, states }: Machine<Name>): string[] {
  const all = Object.entries<{ means: string; next: readonly string[] }>(states);
  const rows = all.map(([state, { means, next }]) => [
    state,
    start.some((each) => each === state) ? "yes" : "",
    next.join(", ") || "(end)",
    means,
  ]);
  return [`## ${name}`, "", table(["state", "begins here", "may move to", "meaning"], rows), ""];
}

export function logsPage(): string {
  const rows = Object.entries<{ level: string; message: string; runbook?: string }>(logEvents).map(
    ([name, { level, message, runbook }]) => [
      `\`${name}\``,
      level,
      message,
      runbook === undefined ? "" : `[${runbook}](runbooks/${runbook}.md)`,
    ],
  );
  return [
    "<!-- printed from shared/logging/; run npm run docs -->",
    "",
    "# Logs",
    "",
    "Every line is one JSON object with the same fields, null where one does not apply: `timestamp`, `env`, `scenarioName` (the",
    "function), `event`, `message`, `piiRedacted` and",
    "",
    `${logFields.map((field) => `\`${field}\``).join(", ")}.`,
    "",
    "There is no field for a body or a secret. One `correlationId` finds everything that came of a webhook.",
    "",
    table(["event", "level", "meaning", "runbook"], rows),
    "",
  ].join("\n");
}
