/** SQL `LIKE`: `%` is any run of characters, `_` any one; the escape character makes either literal. */
export function likeMatches(text: string, pattern: string, escape?: string): boolean {
  const parts = compile(pattern, escape);
  let at = 0;
  let part = 0;
  let afterRun = -1;
  let runAt = 0;
  while (at < text.length) {
    const wanted = parts[part];
    if (wanted?.kind === "run") {
      afterRun = ++part;
      runAt = at;
    } else if (wanted && (wanted.kind === "any" || wanted.character === text[at])) {
      part++;
      at++;
    } else if (afterRun >= 0) {
      part = afterRun;
      at = ++runAt;
    } else {
      return false;
    }
  }
  return parts.slice(part).every(({ kind }) => kind === "run");
}

type Part =
  { readonly kind: "run" } | { readonly kind: "any" } | { readonly kind: "one"; readonly character: string };

function compile(pattern: string, escape: string | undefined): readonly Part[] {
  const parts: Part[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index] ?? "";
    const next = pattern[index + 1];
    if (character === escape && next !== undefined) {
      parts.push({ kind: "one", character: next });
      index++;
    } else if (character === "%") {
      parts.push({ kind: "run" });
    } else {
      parts.push(character === "_" ? { kind: "any" } : { kind: "one", character });
    }
  }
  return parts;
}
