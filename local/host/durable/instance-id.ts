/** What is wrong with an id that somebody chose for an orchestration; undefined when nothing is. */
export function idProblem(id: string): string | undefined {
  if (id.length === 0 || id.length > 256) return "An instance id has 1 to 256 characters.";
  if (id.startsWith("@")) return "An instance id must not begin with '@', which is how entities are named.";
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[/\\#?\u0000-\u001f\u007f-\u009f]/.test(id)) {
    return "An instance id must not hold '/', '\\', '#', '?' or control characters.";
  }
  return undefined;
}
