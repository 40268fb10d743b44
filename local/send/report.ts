import type { SendCommand } from "./command-line.ts";
import type { Answer } from "./deliver.ts";
import { vendors } from "./vendors.ts";

/** What is about to be sent. */
export function heading({ vendor, event, file, times, tamper }: SendCommand, ids: readonly string[]): string {
  const different = new Set(ids).size;
  const what = file === undefined ? `${vendor} ${event}` : `${vendor}, the body from ${file}`;
  const which = different === 1 ? `delivery ${ids[0] ?? ""}` : `${different} deliveries`;
  const repeated = different === 1 && times > 1 ? `, ${times} times` : "";
  const changed = tamper ? ", one byte changed after signing" : "";
  const unnoticed =
    tamper && !vendors[vendor].signsBody
      ? " (which nobody will notice: it sends the secret, and signs nothing)"
      : "";
  return `${what}, ${which}${repeated}${changed}${unnoticed}`;
}

/** What came back, and the command that shows what became of it. */
export function report(hook: URL, answers: readonly Answer[], tookMs: number): string {
  const [first] = answers;
  if (first === undefined) return "";
  const said = answers.length === 1 ? one(first) : many(answers, tookMs);
  const next = nextCommand(hook, answers);
  return next === undefined ? said : `${said}\n\n${next.why}:\n  ${next.command}`;
}

function one({ status, text, tookMs }: Answer): string {
  const parsed = accepted(text) === undefined ? indented(text) : text;
  return `${status} in ${tookMs.toFixed(0)} ms: ${parsed}`;
}

function many(answers: readonly Answer[], tookMs: number): string {
  const counts = new Map<string, number>();
  for (const { status, text } of answers) {
    const { duplicate = false } = accepted(text) ?? {};
    const kind = duplicate ? `${status}, a duplicate` : String(status);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const lines = [...counts].map(([kind, count]) => `  ${String(count).padStart(6)} x ${kind}`);
  const slowest = Math.max(...answers.map((answer) => answer.tookMs)).toFixed(0);
  return [
    `${answers.length} sent in ${tookMs.toFixed(0)} ms, the slowest took ${slowest} ms:`,
    ...lines,
  ].join("\n");
}

function nextCommand(
  hook: URL,
  answers: readonly Answer[],
): { readonly why: string; readonly command: string } | undefined {
  /** Printed as Node prints objects: an answer of the API is a single line. */
  const read = (path: string, part: string): string => {
    const address = hook.href.replace(/\/hooks\/[^/]*$/, `/v1/${path}`);
    return `curl -s "${address}" -H "x-api-key: $KEY" | node -p 'JSON.parse(fs.readFileSync(0)).${part}'`;
  };
  const events = new Set(answers.flatMap(({ text }) => accepted(text)?.correlationId ?? []));
  const [eventId] = events;
  if (events.size > 1) return { why: "See what came in", command: read("events", "items") };
  if (eventId !== undefined) {
    return { why: "See what became of it", command: read(`correlations/${eventId}`, "timeline") };
  }
  if (answers.some(({ status }) => status === 401)) {
    return { why: "The audit has it", command: read("audit?limit=1", "items") };
  }
  if (answers.some(({ status }) => status === 422)) {
    return { why: "It is kept, for a person to look at", command: read("dead-letters?limit=1", "items") };
  }
  return undefined;
}

/** The answer of a hook that has stored a webhook. */
function accepted(text: string): { readonly correlationId: string; readonly duplicate: boolean } | undefined {
  const value = parsedOf(text);
  if (typeof value !== "object" || value === null) return undefined;
  const { correlationId, duplicate } = value as Record<string, unknown>;
  return typeof correlationId === "string" && typeof duplicate === "boolean"
    ? { correlationId, duplicate }
    : undefined;
}

function indented(text: string): string {
  const value = parsedOf(text);
  return value === undefined ? text : JSON.stringify(value, null, 2);
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
