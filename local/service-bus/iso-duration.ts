const pattern = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const unitsMs = [86_400_000, 3_600_000, 60_000, 1000];
/** The service's largest duration, TimeSpan.MaxValue: it stands for "never". */
const largestMs = 922_337_203_685_477;
const largestText = "P10675199DT2H48M5.4775807S";

/** Milliseconds of an ISO 8601 duration, `Infinity` for the service's largest; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const found = pattern.exec(text);
  if (!found || !/\d/.test(text)) return undefined;
  const total = unitsMs.reduce((sum, unit, index) => sum + unit * Number(found[index + 1] ?? 0), 0);
  return total >= largestMs - 1 ? Infinity : total;
}

export function formatDuration(milliseconds: number): string {
  if (milliseconds === Infinity) return largestText;
  const days = Math.floor(milliseconds / 86_400_000);
  const hours = Math.floor((milliseconds % 86_400_000) / 3_600_000);
  const minutes = Math.floor((milliseconds % 3_600_000) / 60_000);
  const seconds = (milliseconds % 60_000) / 1000;
  const date = days > 0 ? `${days}D` : "";
  const time = `${hours > 0 ? `${hours}H` : ""}${minutes > 0 ? `${minutes}M` : ""}${seconds > 0 ? `${seconds}S` : ""}`;
  return date === "" && time === "" ? "PT0S" : `P${date}${time === "" ? "" : `T${time}`}`;
}
