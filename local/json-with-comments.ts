/**
 * Parses JSON in which comments stand between tokens, as the platform's own settings files have them. They are blanked
 * out without moving anything, so that the position in a parser's complaint still fits the file.
 */
export function parseJsonWithComments(text: string): unknown {
  const tokens = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[^]*?\*\//g;
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(tokens, (token) => (token.startsWith("/") ? token.replace(/[^\n]/g, " ") : token));
  return JSON.parse(plain);
}
