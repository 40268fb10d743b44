import { faults } from "../../shared/faults.ts";
import { localSettings, settings } from "../../shared/settings.ts";

/** Files that repeat what the code says. `npm run docs` writes them; a test fails when one differs. */
export function printedFiles(): Readonly<Record<string, string>> {
  return {
    "docs/settings.md": settingsPage(),
    "docs/faults.md": faultsPage(),
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

/** Columns padded to their widest cell, the way the formatter leaves them alone. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}
