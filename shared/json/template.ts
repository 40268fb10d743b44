import { readPath } from "./paths.ts";
import { type Part, partsOf, TemplateProblem } from "./template-syntax.ts";

/** Makes a value safe for the place it goes to. Throws a `TemplateProblem` where that cannot be. */
export type Escape = (value: string, place: Place) => string;

export interface Place {
  readonly path: string;
  /** The text in front of the value, already filled in. */
  readonly before: string;
}

/** In characters of JSON: more than any vendor takes, and little enough that no template can exhaust a host. */
const sizeLimit = 1_000_000;

/**
 * Fills every text of a JSON template from the scope. A text that is nothing but one placeholder keeps the type of the
 * value; where nothing stands at its path, the property or item is left out.
 */
export function renderJson(template: unknown, scope: object, limit: number = sizeLimit): unknown {
  return filled(template, scope, budgetOf(limit));
}

/** Fills one text. What is missing, or null, is nothing; objects and lists are written as JSON. */
export function renderText(
  template: string,
  scope: object,
  escape: Escape = (value) => value,
  limit: number = sizeLimit,
): string {
  return filledText(partsOf(template), scope, escape, budgetOf(limit));
}

function filled(template: unknown, scope: object, budget: Budget): unknown {
  if (typeof template === "string") {
    const parts = partsOf(template);
    const [only] = parts;
    if (parts.length === 1 && only?.kind === "placeholder")
      return budget.spendOn(readPath(scope, only.path), only.path);
    return filledText(parts, scope, (value) => value, budget);
  }
  if (typeof template !== "object" || template === null) return budget.spendOn(template);
  if (Array.isArray(template)) {
    const items: readonly unknown[] = template;
    return items.map((item) => filled(item, scope, budget)).filter((item) => item !== undefined);
  }
  // Object.fromEntries defines properties, so that a key named __proto__ is a key and nothing else.
  const entries = Object.entries(template).map(([key, value]) => {
    budget.spend(key.length);
    return [key, filled(value, scope, budget)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function filledText(parts: readonly Part[], scope: object, escape: Escape, budget: Budget): string {
  let text = "";
  for (const part of parts) {
    const more =
      part.kind === "placeholder"
        ? escape(asText(readPath(scope, part.path), part.path), { path: part.path, before: text })
        : part.text;
    budget.spend(more.length);
    text += more;
  }
  return text;
}

function asText(value: unknown, path: string): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : jsonOf(value, path);
}

/** What may still be written, and what each value costs: a large one may stand in many places. */
interface Budget {
  readonly spend: (characters: number) => void;
  readonly spendOn: <T>(value: T, path?: string) => T;
}

function budgetOf(limit: number): Budget {
  let left = limit;
  const costs = new Map<unknown, number>();
  const spend = (characters: number): void => {
    left -= characters;
    if (left < 0) throw new TemplateProblem(`What the template makes is longer than ${limit} characters.`);
  };
  const spendOn = <T>(value: T, path?: string): T => {
    const cost = costs.get(value) ?? jsonOf(value, path).length;
    costs.set(value, cost);
    spend(cost);
    return value;
  };
  return { spend, spendOn };
}

function jsonOf(value: unknown, path: string | undefined): string {
  if (value === undefined) return "";
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new TemplateProblem("The value is nested too deep to be written.", path);
  }
}
