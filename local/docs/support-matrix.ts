import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { table } from "./table.ts";

/** One promise of a local server, as the title of the test that shows it: `area: capability: what holds`. */
interface Row {
  readonly area: string;
  readonly capability: string;
  readonly file: string;
}

/** The rows of one server's conformance suite, in tables by area. */
export function supportMatrix(root: string, suite: string): string {
  const rows = rowsOf(root, suite);
  const areas = [...new Set(rows.map(({ area }) => area))].toSorted();
  return areas.map((area) => areaTable(area, rows)).join("\n\n");
}

function areaTable(area: string, rows: readonly Row[]): string {
  const files = new Map<string, Set<string>>();
  for (const row of rows.filter((candidate) => candidate.area === area)) {
    files.set(row.capability, (files.get(row.capability) ?? new Set()).add(`\`${row.file}\``));
  }
  const cells = [...files].map(([capability, named]) => [capability, [...named].join(", ")]);
  return table([area, "shown by"], cells);
}

export function rowsOf(root: string, suite: string): Row[] {
  const folder = join(root, "test/conformance", suite);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".test.ts"))
    .flatMap((file) =>
      titlesIn(readFileSync(join(folder, file), "utf8")).map((title) => {
        const [area = "", capability = ""] = title.split(": ");
        return { area, capability, file };
      }),
    );
}

/** Titles as they stand in the source: the text after `test(`, or after the brackets of `test.each(…)`. */
function titlesIn(source: string): string[] {
  const calls = source.matchAll(/^\s*(?:test|it)(?:\.each\([^]*?\))?\(\s*(["`])((?:\\.|(?!\1)[^\\])*)\1/gm);
  return [...calls].map(([, , title = ""]) => title.replaceAll(/\\(["'`])/g, "$1"));
}
