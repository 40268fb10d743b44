const isoDate = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?) ?(Z|UTC|[+-]\d\d:?\d\d)?)?$/;

/**
 * The time that an ISO 8601 date or date-time names, in milliseconds. Without a zone it is read as UTC, and not as the
 * zone of whichever machine happens to ask.
 */
export function instantOf(text: string): number | undefined {
  const [, date, time = "00:00", zone = "Z"] = isoDate.exec(text) ?? [];
  if (date === undefined) return undefined;
  const offset = zone === "UTC" ? "Z" : zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2");
  const instant = Date.parse(`${date}T${time}${offset}`);
  return Number.isNaN(instant) ? undefined : instant;
}
