import { parseDuration } from "../iso-duration.ts";

/** Reads the fields of one JSON object and notes everything that is wrong with them, each with its path. */
export class Fields {
  readonly #path: string;
  readonly #object: Readonly<Record<string, unknown>>;
  readonly #problems: string[];
  readonly #read = new Set<string>();

  constructor(path: string, value: unknown, problems: string[]) {
    this.#path = path;
    this.#problems = problems;
    this.#object = isObject(value) ? value : {};
    if (!isObject(value)) this.#problem("", "must be an object");
  }

  #problem(name: string, text: string): void {
    this.#problems.push(`${this.#path}${name && `.${name}`} ${text}`);
  }

  #take<T>(name: string, what: string, read: (value: unknown) => T | undefined): T | undefined {
    this.#read.add(name);
    const value = this.#object[name];
    if (value === undefined || value === null) return undefined;
    const result = read(value);
    if (result === undefined) this.#problem(name, `must be ${what}`);
    return result;
  }

  object(name: string): Fields {
    this.#read.add(name);
    return new Fields(`${this.#path}.${name}`, this.#object[name] ?? {}, this.#problems);
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined;
  }

  list(name: string): readonly Fields[] {
    const items =
      this.#take(name, "a list", (value) => (Array.isArray(value) ? (value as unknown[]) : undefined)) ?? [];
    return items.map((item, index) => new Fields(`${this.#path}.${name}[${index}]`, item, this.#problems));
  }

  requiredList(name: string): readonly Fields[] {
    if (!this.has(name)) this.#problem(name, "is missing");
    return this.list(name);
  }

  name(): string {
    const name = this.string("Name");
    if (name === undefined) this.#problem("Name", "is missing");
    return name ?? "";
  }

  /** A non-empty string; the emulator writes "" for "none". */
  string(name: string): string | undefined {
    const text = this.#take(name, "a string", (value) => (typeof value === "string" ? value : undefined));
    return text === "" ? undefined : text;
  }

  boolean(name: string, fallback: boolean): boolean {
    return (
      this.#take(name, "true or false", (value) => (typeof value === "boolean" ? value : undefined)) ??
      fallback
    );
  }

  positiveInteger(name: string, fallback: number): number {
    const read = (value: unknown): number | undefined =>
      typeof value === "number" && Number.isInteger(value) && value > 0 ? value : undefined;
    return this.#take(name, "a positive integer", read) ?? fallback;
  }

  duration(name: string, fallback: number): number {
    const read = (value: unknown): number | undefined => {
      const parsed = typeof value === "string" ? parseDuration(value) : undefined;
      return parsed !== undefined && parsed > 0 ? parsed : undefined;
    };
    return this.#take(name, 'an ISO 8601 duration such as "PT30S"', read) ?? fallback;
  }

  oneOf<T extends string>(name: string, options: readonly T[], fallback: T): T {
    const read = (value: unknown): T | undefined => options.find((option) => option === value);
    return this.#take(name, `one of ${options.join(", ")}`, read) ?? fallback;
  }

  /** Every field, for maps whose keys are free; each value must be one that can be compared. */
  scalars(): Readonly<Record<string, string | number | boolean>> {
    const read = (value: unknown): string | number | boolean | undefined =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? value
        : undefined;
    const found = Object.keys(this.#object).map(
      (name) => [name, this.#take(name, "a string, number or boolean", read)] as const,
    );
    return Object.fromEntries(
      found.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    );
  }

  /** Everything not read is a mistake: a misspelt setting must not be ignored. */
  end(): void {
    for (const name of Object.keys(this.#object))
      if (!this.#read.has(name)) this.#problem(name, "is not known");
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
