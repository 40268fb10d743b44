import { readFileSync } from "node:fs";
import { join } from "node:path";

import { allEndpoints } from "../../shared/api/all-endpoints.ts";
import { openApiDocument } from "../../shared/api/openapi.ts";
import { faults } from "../../shared/faults.ts";
import { localSettings, settings } from "../../shared/settings.ts";
import { withEndpoints } from "./endpoints-table.ts";
import { failuresPage, logsPage, machinesPage } from "./failure-pages.ts";
import { withSources } from "./sources-table.ts";
import { withRouteTables } from "./route-tables.ts";
import { supportMatrix } from "./support-matrix.ts";
import { table } from "./table.ts";

/** Files that repeat what the code says. `npm run docs` writes them; a test fails when one differs. */
export function printedFiles(root: string): Readonly<Record<string, string>> {
  return {
    "local/README.md": withMatrices(root, readFileSync(join(root, "local/README.md"), "utf8")),
    "docs/settings.md": settingsPage(),
    "docs/faults.md": faultsPage(),
    "docs/failures.md": failuresPage(),
    "docs/logs.md": logsPage(),
    "docs/machines.md": machinesPage(),
    "docs/api.md": withSources(withEndpoints(readFileSync(join(root, "docs/api.md"), "utf8"))),
    "docs/routes.md": withRouteTables(readFileSync(join(root, "docs/routes.md"), "utf8")),
    "docs/openapi.json": `${JSON.stringify(openApiDocument(allEndpoints), null, 2)}\n`,
    "local.settings.sample.json": `${JSON.stringify({ IsEncrypted: false, Values: localSettings() }, null, 2)}\n`,
  };
}

const notice = (source: string): string => `<!-- printed from ${source}; run npm run docs -->`;

function settingsPage(): string {
  const rows = Object.entries(settings).map(([name, { group, purpose }]) => [`\`${name}\``, group, purpose]);
  return [
    notice("shared/settings.ts"),
    "",
    "# Settings",
    "",
    "App settings are environment variables: the settings of the Function app in Azure, `local.settings.json` under func and",
    "`npm run host` (copy `local.settings.sample.json`), and set by `npm start` itself for the hosts it starts. The environment",
    "wins over the file.",
    "",
    table(["setting", "for", "purpose"], rows),
    "",
    "For storage and the bus set either the connection string (local) or the address (Azure, managed identity); no key is",
    "ever needed in a setting in Azure.",
    "",
  ].join("\n");
}

function faultsPage(): string {
  const rows = Object.entries(faults).map(([code, { status, says, remedy }]) => [
    `\`${code}\``,
    String(status),
    says,
    remedy,
  ]);
  return [
    notice("shared/faults.ts"),
    "",
    "# Faults",
    "",
    "A request that fails is answered with `application/problem+json` (RFC 9457). `code` is stable, `detail` says what exactly",
    "was wrong, and `correlationId` finds the request in the logs.",
    "",
    table(["code", "status", "what it means", "what to do"], rows),
    "",
  ].join("\n");
}

/** Only what stands between the marks is printed; the rest of the page is written by hand. */
function withMatrices(root: string, page: string): string {
  return page.replaceAll(
    /(<!-- rows of test\/conformance\/([\w-]+); run npm run docs -->\n)[^]*?(\n<!-- end of rows -->)/g,
    (_, start: string, suite: string, end: string) => `${start}\n${supportMatrix(root, suite)}\n${end}`,
  );
}
