import { badParameter } from "./errors.ts";

const largestPage = 25;

export interface PageRequest {
  /** The address of the collection, without its query. */
  readonly url: string;
  readonly query: URLSearchParams;
}

/**
 * One page of a list in the order of its keys. The link to the next page names the last key of this one, so that
 * what is added or removed in between neither hides nor repeats anything else.
 */
export function pageOf<T>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  show: (item: T) => object,
  { url, query }: PageRequest,
): { value: object[]; nextLink: string | null } {
  const size = pageSize(query.get("maxresults"));
  const after = decode(query.get("$skiptoken"));
  const rest = [...items]
    .map((item) => ({ key: keyOf(item), item }))
    .filter(({ key }) => after === undefined || key > after)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return {
    value: page.map(({ item }) => show(item)),
    nextLink: last && rest.length > size ? nextLink(url, query, last.key) : null,
  };
}

function pageSize(text: string | null): number {
  if (text === null) return largestPage;
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= largestPage) return size;
  throw badParameter(`maxresults must be a number from 1 to ${largestPage}.`);
}

function nextLink(url: string, query: URLSearchParams, lastKey: string): string {
  const next = new URLSearchParams(query);
  next.set("$skiptoken", Buffer.from(lastKey).toString("base64url"));
  return `${url}?${next.toString()}`;
}

const decode = (token: string | null): string | undefined =>
  token === null ? undefined : Buffer.from(token, "base64url").toString();
