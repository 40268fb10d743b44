/** A table with columns as wide as their widest cell: the first to the left, figures to the right. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ");
  console.log(line(head));
  console.log(widths.map((width) => "-".repeat(width)).join("  "));
  for (const row of rows) console.log(line(row));
}

export const whole = (figure: number): string => Math.round(figure).toLocaleString("en");
export const milliseconds = (figure: number): string => figure.toFixed(figure < 10 ? 2 : 1);
/** Of host, storage and bus, in microseconds. */
export const cpuCells = (cpu: ReadonlyMap<string, number>): string[] =>
  ["host", "storage", "service-bus"].map((part) => {
    const used = cpu.get(part);
    return used === undefined ? "" : whole(used);
  });
export const cpuHeads = ["host us", "storage us", "bus us"] as const;

export const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** What the figures were taken with. */
export const durability =
  "Tables and bus: every change is in a journal, written but not synced, before it is answered.";
export const limitDurability =
  "The limit: signature checked, body appended with those that came meanwhile, written (or synced) before it is answered.";
