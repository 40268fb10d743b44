/** Deeper than any vendor's payload, and far from what the stack of a recursive reader holds. */
export const deepestNesting = 100;
/** The largest payloads GitHub sends hold a tenth of it; so many values are a few hundred megabytes of memory. */
export const mostValues = 2_000_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBracket = 0x5b;
const openBrace = 0x7b;
const closeBracket = 0x5d;
const closeBrace = 0x7d;

/**
 * What is wrong with the size of a JSON text, before anything is built from it; undefined when it is fine. Reads bytes
 * in one pass: in UTF-8 none of these is ever part of another character.
 */
export function excessOf(json: Uint8Array): string | undefined {
  let depth = 0;
  let values = 1;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (inText) {
      if (byte === backslash) at += 1;
      else if (byte === quote) inText = false;
      continue;
    }
    if (byte === quote) inText = true;
    else if (byte === comma) values += 1;
    else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      values += 1;
      if (depth > deepestNesting) return `It is nested more than ${deepestNesting} levels deep.`;
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (values > mostValues) return `It holds more than ${mostValues} values.`;
  }
  return undefined;
}
