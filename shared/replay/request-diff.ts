import type { RequestPreview } from "../operations/operation.ts";
import { formatPath } from "../json/paths.ts";

export interface FieldChange {
  /** `url`, `headers.content-type`, `body.customer.name`. */
  readonly path: string;
  /** Absent where there was nothing. */
  readonly before?: string;
  readonly after?: string;
}

const mostChanges = 100;
const longestValue = 200;

/** What is different about two requests, field by field. A body that is JSON is compared inside. */
export function requestDiff(before: RequestPreview, after: RequestPreview): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  compare(changes, ["method"], before.method, after.method);
  compare(changes, ["url"], before.url, after.url);
  compare(changes, ["headers"], before.headers, after.headers);
  compare(changes, ["body"], bodyOf(before), bodyOf(after));
  return changes.slice(0, mostChanges);
}

function bodyOf({ body }: RequestPreview): unknown {
  if (body === undefined) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** Deeper than any request is; what lies below is compared as a whole. */
const maxDepth = 32;

function compare(changes: FieldChange[], path: (string | number)[], before: unknown, after: unknown): void {
  if (changes.length > mostChanges || before === after) return;
  if (path.length < maxDepth && sameKind(before, after)) {
    const [left, right] = [new Map(entriesOf(before)), new Map(entriesOf(after))];
    for (const name of new Set([...left.keys(), ...right.keys()])) {
      compare(changes, [...path, name], left.get(name), right.get(name));
    }
    return;
  }
  const [was, is] = [textOf(before), textOf(after)];
  if (was === is) return;
  changes.push({
    path: formatPath(path),
    ...(was === undefined ? {} : { before: shortened(was) }),
    ...(is === undefined ? {} : { after: shortened(is) }),
  });
}

function sameKind(before: unknown, after: unknown): boolean {
  return isObject(before) && isObject(after) && Array.isArray(before) === Array.isArray(after);
}

function entriesOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return [...value.entries()];
  return isObject(value) ? Object.entries(value) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
}

function shortened(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}... (${text.length} characters)`;
}
