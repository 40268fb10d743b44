import { allEndpoints } from "../../shared/api/all-endpoints.ts";
import { tags } from "../../shared/api/tags.ts";
import { table } from "./table.ts";

/** Only what stands between the marks is printed; the rest of the page is written by hand. */
export function withEndpoints(page: string): string {
  return page.replace(
    /(<!-- rows of shared\/api\/all-endpoints\.ts; run npm run docs -->\n)[^]*?(\n<!-- end of rows -->)/,
    (_, start: string, end: string) => `${start}\n${endpointTables()}\n${end}`,
  );
}

function endpointTables(): string {
  return Object.entries(tags)
    .map(([tag, purpose]) => ({ tag, purpose, rows: rowsOf(tag) }))
    .filter(({ rows }) => rows.length > 0)
    .map(
      ({ tag, purpose, rows }) =>
        `### ${tag}\n\n${purpose}\n\n${table(["call", "role", "what it does"], rows)}`,
    )
    .join("\n\n");
}

function rowsOf(tag: string): string[][] {
  return allEndpoints
    .filter((endpoint) => endpoint.tag === tag)
    .map(({ method, path, role, summary }) => [`\`${method} /api/${path}\``, role, summary]);
}
