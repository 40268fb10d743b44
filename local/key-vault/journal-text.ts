import { StartError } from "../start-error.ts";
import type { Change } from "./secret.ts";

/** The first line, by which a file says that it is ours. */
const header = JSON.stringify({ format: "interlock-key-vault", version: 1 });

/** One JSON object a line. */
export function journalText(changes: Iterable<Change>, withHeader = false): string {
  const lines = Array.from(changes, (change) => `${JSON.stringify(change)}\n`);
  return (withHeader ? `${header}\n` : "") + lines.join("");
}

/**
 * The changes of a journal. A last line without its end was being written when the process ended and was never
 * acknowledged, so it is left out; anything else that cannot be read stops the start, for the file holds secrets
 * that nobody should lose by an overwrite. The message names the line, never its text.
 */
export function readJournal(file: string, text: string | undefined): Change[] {
  if (text === undefined) return [];
  const lines = text.split("\n").slice(0, -1);
  if (lines.shift() !== header) throw notOurs(file);
  return lines.map((line, index) => {
    const change = parse(line);
    if (!isChange(change)) throw damaged(file, index + 2);
    return change;
  });
}

const notOurs = (file: string): StartError =>
  new StartError(`${file} is not a file of this key vault; name another, or move it away`);

const damaged = (file: string, line: number): StartError =>
  new StartError(`Line ${line} of ${file} cannot be read; mend or remove the line, or move the file away`);

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const kinds: readonly unknown[] = ["set", "update", "delete", "recover", "purge"] satisfies Change["kind"][];

const isChange = (value: unknown): value is Change =>
  typeof value === "object" &&
  value !== null &&
  "kind" in value &&
  kinds.includes(value.kind) &&
  "name" in value &&
  typeof value.name === "string";
