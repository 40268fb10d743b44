/** What a page tells its reader to type, and what it says is seen then. */
export interface PageStep {
  readonly commands: string;
  /** Lines that appear in this order; empty where the page shows none. */
  readonly shown: readonly string[];
}

/** Every fenced block marked `sh` below a heading of the second level, each with the unmarked one that follows it. */
export function pageSteps(page: string, heading?: string): readonly PageStep[] {
  const text = heading === undefined ? page : section(page, heading);
  const steps: PageStep[] = [];
  for (const [, kind = "", block = ""] of text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)) {
    const last = steps.at(-1);
    if (kind === "sh") steps.push({ commands: block.trim(), shown: [] });
    else if (kind === "" && last !== undefined) {
      steps[steps.length - 1] = { ...last, shown: linesOf(block).filter((line) => line !== "...") };
    }
  }
  return steps;
}

/** Whether the output has the lines in their order. Ids, times and durations are another's every time. */
export function shows(output: string, lines: readonly string[]): boolean {
  const rest = linesOf(output).map(general).values();
  return lines.every((line) => {
    const wanted = general(line);
    for (const next of rest) if (next.includes(wanted)) return true;
    return false;
  });
}

function section(page: string, heading: string): string {
  const [, found] = page.split(`\n## ${heading}\n`);
  if (found === undefined) throw new Error(`There is no heading '${heading}'`);
  return found.split("\n## ", 1)[0] ?? "";
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function general(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\b[0-9a-f]{32}\b/g, "<id>")
    .replaceAll(/\b\d+ ms\b/g, "<duration>")
    .replaceAll(/sink-\d+/g, "<effect>");
}
