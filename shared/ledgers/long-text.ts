/** A property of a table holds 32,768 UTF-16 units; a longer text goes into several: `body0`, `body1`, ... */
const chunkLength = 30_000;

/** Name must be one no other property of the row begins with. */
export function packText(name: string, text: string): Record<string, string> {
  const chunks: Record<string, string> = {};
  let from = 0;
  for (let index = 0; index === 0 || from < text.length; index++) {
    const to = splitBefore(text, from + chunkLength);
    chunks[`${name}${index}`] = text.slice(from, to);
    from = to;
  }
  return chunks;
}

/** Undefined where the row has no such text. */
export function unpackText(name: string, row: Readonly<Record<string, unknown>>): string | undefined {
  const chunks: string[] = [];
  for (let index = 0; ; index++) {
    const chunk = row[`${name}${index}`];
    if (typeof chunk !== "string") break;
    chunks.push(chunk);
  }
  return chunks.length === 0 ? undefined : chunks.join("");
}

/** Half a surrogate pair would not survive the trip to storage, which is made in UTF-8. */
function splitBefore(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return at < text.length && unit >= 0xd800 && unit <= 0xdbff ? at - 1 : at;
}
