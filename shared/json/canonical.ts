/**
 * One text for one value, whatever the order of its keys: RFC 8785 for everything JSON.parse can return. Made without
 * recursion, since a payload may be nested as deep as its sender likes.
 */
export function canonicalJson(value: unknown): string {
  const pieces: string[] = [];
  /** What is still to be written, the next one last. */
  const tasks: Task[] = [{ value }];
  for (let task = tasks.pop(); task !== undefined; task = tasks.pop()) {
    if ("text" in task) pieces.push(task.text);
    else if (typeof task.value !== "object" || task.value === null) pieces.push(scalar(task.value));
    else if (Array.isArray(task.value)) pushList(tasks, task.value);
    else pushObject(tasks, task.value);
  }
  return pieces.join("");
}

type Task = { readonly text: string } | { readonly value: unknown };

function pushList(tasks: Task[], items: readonly unknown[]): void {
  tasks.push({ text: "]" });
  for (let index = items.length - 1; index >= 0; index--) {
    tasks.push({ value: items[index] });
    if (index > 0) tasks.push({ text: "," });
  }
  tasks.push({ text: "[" });
}

function pushObject(tasks: Task[], value: object): void {
  const members: readonly [string, unknown][] = Object.entries(value);
  const written = members.filter(([, member]) => member !== undefined);
  tasks.push({ text: "}" });
  // Backwards in the order of UTF-16 units, which is the order the RFC asks for.
  const backwards = written.toSorted(([left], [right]) => (left < right ? 1 : -1));
  for (const [index, [key, member]] of backwards.entries()) {
    const isFirst = index === backwards.length - 1;
    tasks.push({ value: member }, { text: `${isFirst ? "" : ","}${JSON.stringify(key)}:` });
  }
  tasks.push({ text: "{" });
}

/** JSON.stringify already writes numbers and texts as the RFC does. What JSON cannot say is null. */
function scalar(value: unknown): string {
  const isJson = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  return isJson ? JSON.stringify(value) : "null";
}
