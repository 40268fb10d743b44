export interface SinkRequest {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | undefined;
  readonly correlationId: string | undefined;
  readonly body: string;
}

const longestBody = 4000;

/** One request and what was answered, as a block for a person to read. */
export function requestBlock(
  number: number,
  { method, path, idempotencyKey, correlationId, body }: SinkRequest,
  answer: string,
): string {
  const lines = [
    `#${number} ${method} ${path}`,
    ...(idempotencyKey === undefined ? [] : [`idempotency-key   ${idempotencyKey}`]),
    ...(correlationId === undefined ? [] : [`x-correlation-id  ${correlationId}`]),
    ...readable(body).split("\n"),
    `=> ${answer}`,
  ];
  return `\n${lines.map((line, index) => (index === 0 ? line : `   ${line}`)).join("\n")}`;
}

function readable(body: string): string {
  const text = body === "" ? "(no body)" : indented(body);
  return text.length <= longestBody
    ? text
    : `${text.slice(0, longestBody)}\n(${text.length - longestBody} more characters)`;
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // As it is, but for what a terminal would take as a command.
    return body.replaceAll(/[^\P{Cc}\n\t]/gu, "\u{fffd}");
  }
}
