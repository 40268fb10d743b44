/** Parses JSON in which `//` and block comments stand between tokens, as in the emulator's sample files. */
export function parseJsonWithComments(text: string): unknown {
  const tokens = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  return JSON.parse(text.replace(tokens, (token) => (token.startsWith("/") ? " " : token)));
}
