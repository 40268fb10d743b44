/** Fields that say the same on every line, or that the line begins with anyway. */
const plain = new Set(["timestamp", "env", "event", "message", "piiRedacted"]);

/** A line that an app logs as one JSON object with an `event` and a `message` is printed as a sentence with its fields. */
export function readableMessage(message: string): string {
  if (!message.startsWith("{")) return message;
  const fields = parsed(message);
  const { event, message: sentence } = fields;
  if (typeof event !== "string" || typeof sentence !== "string") return message;
  const rest = Object.entries(fields)
    .filter(([name, value]) => value !== null && !plain.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [`${event}: ${sentence}`, ...rest].join(" ");
}

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
