import { StartError } from "../../start-error.ts";

interface Field {
  readonly kind: string;
  readonly least: number;
  readonly most: number;
  readonly names?: readonly string[];
}

const months = "january february march april may june july august september october november december";
const days = "sunday monday tuesday wednesday thursday friday saturday";

const fields: readonly Field[] = [
  { kind: "second", least: 0, most: 59 },
  { kind: "minute", least: 0, most: 59 },
  { kind: "hour", least: 0, most: 23 },
  { kind: "day", least: 1, most: 31 },
  { kind: "month", least: 1, most: 12, names: months.split(" ") },
  { kind: "day of the week", least: 0, most: 6, names: days.split(" ") },
];

/**
 * Rewrites an NCRONTAB expression as one that every cron library reads alike: six fields, each a list of
 * plain numbers or `*`. What NCRONTAB alone allows (five fields, `5/15`, ranges the wrong way round, names cut
 * short) is resolved on the way, and what it does not know (`L`, `W`, `#`, `?`, Sunday as 7) refused.
 */
export function plainCron(expression: string): string {
  const given = expression.trim().split(/\s+/);
  const texts = given.length === 5 ? ["0", ...given] : given;
  if (texts.length !== fields.length) {
    throw new StartError(
      `schedule '${expression}' has ${given.length} fields: write six, {second} {minute} {hour} {day} {month} {day-of-week}`,
    );
  }
  return fields
    .map((field, index) => {
      try {
        return plainField(texts[index] ?? "", field);
      } catch (error) {
        throw new StartError(
          `schedule '${expression}': ${String(error instanceof Error ? error.message : error)}`,
        );
      }
    })
    .join(" ");
}

function plainField(text: string, field: Field): string {
  const values = new Set<number>();
  for (const item of text.split(",")) addItem(item, field, values);
  if (values.size === field.most - field.least + 1) return "*";
  return [...values].toSorted((a, b) => a - b).join(",");
}

function addItem(text: string, field: Field, values: Set<number>): void {
  const [range = "", step, ...more] = text.split("/");
  if (more.length > 0 || (step !== undefined && !/^\d+$/.test(step))) throw wrong(text, field);
  const [first, last] = boundsOf(range, step !== undefined, field);
  for (let value = first; value <= last; value += Math.max(1, Number(step ?? 1))) values.add(value);
}

/** A single value with a step runs on to the end of the field: `5/15` is 5, 20, 35, 50. */
function boundsOf(range: string, stepped: boolean, field: Field): [number, number] {
  if (range === "*") return [field.least, field.most];
  const dash = range.indexOf("-");
  if (dash === -1) {
    const value = valueOf(range, field);
    return [value, stepped ? field.most : value];
  }
  const ends = [valueOf(range.slice(0, dash), field), valueOf(range.slice(dash + 1), field)];
  return [Math.min(...ends), Math.max(...ends)];
}

function valueOf(text: string, field: Field): number {
  const named =
    text === "" ? -1 : (field.names?.findIndex((name) => name.startsWith(text.toLowerCase())) ?? -1);
  const value = /^\d+$/.test(text) ? Number(text) : named === -1 ? Number.NaN : named + field.least;
  if (!(value >= field.least && value <= field.most)) throw wrong(text, field);
  return value;
}

function wrong(text: string, { kind, least, most, names }: Field): Error {
  const orName = names === undefined ? "" : ` or a name such as ${names[0]?.slice(0, 3).toUpperCase()}`;
  return new Error(`'${text}' is no ${kind} (${least} to ${most}${orName})`);
}
