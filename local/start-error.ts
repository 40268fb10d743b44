/**
 * Something the person who starts the host can mend. The message is one line: what is wrong, where, and
 * what to do; the command line prints it without a stack unless asked.
 */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** The one place where a thrown value that is not an Error becomes text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
