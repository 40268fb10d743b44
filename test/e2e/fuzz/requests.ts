import * as fc from "fast-check";

import { apiDocument, type Operation } from "../../support/api-contract.ts";
import { hostileText, mutated } from "./hostile.ts";
import { fitting, type Resolve } from "./schema-arbitrary.ts";

export interface FuzzRequest {
  readonly path: string;
  readonly body?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Ids and cursors the API has answered with, by the name of the parameter they go into. */
export type Pool = Map<string, string[]>;

const resolve: Resolve = (ref) =>
  ref
    .slice(2)
    .split("/")
    .reduce<unknown>(
      (node, step) => (node as Record<string, unknown>)[step],
      apiDocument,
    ) as ReturnType<Resolve>;

/** Requests to one operation: some right, some nearly so, some far from it. */
export function requestsTo(template: string, operation: Operation, pool: Pool): fc.Arbitrary<FuzzRequest> {
  const parameters = operation.parameters ?? [];
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const path = fc
    .tuple(...inPath.map(({ name, schema }) => pathValue(name, schema, pool)))
    .map((values) =>
      inPath.reduce((text, { name }, index) => text.replace(`{${name}}`, encoded(values[index])), template),
    );
  return fc
    .tuple(path, query(inQuery, pool), content(operation), rarely(hostileText))
    .map(([address, search, { body, type }, ifMatch]) => ({
      path: search === "" ? address : `${address}?${search}`,
      ...(body !== undefined && { body }),
      headers: {
        ...(type !== undefined && { "content-type": type }),
        ...(ifMatch !== null && { "if-match": ifMatch.slice(0, 200).replaceAll(/[^\x20-\x7e]/g, "?") }),
      },
    }));
}

function pathValue(name: string, schema: object, pool: Pool): fc.Arbitrary<string> {
  const texts = fitting(schema, resolve).map(String);
  return fc
    .oneof(
      { weight: 6, arbitrary: known(name, pool, texts) },
      { weight: 2, arbitrary: texts },
      { weight: 1, arbitrary: hostileText },
    )
    .filter(fitsOneSegment);
}

/** Something the API has answered with under this name, where it has. */
function known(name: string, pool: Pool, otherwise: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(), otherwise).map(([index, other]) => {
    const ids = pool.get(name) ?? [];
    return ids[index % Math.max(1, ids.length)] ?? other;
  });
}

function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });
}

/** What a client or the host would make another address of never reaches the operation. */
function fitsOneSegment(text: string): boolean {
  return !/^\.{0,2}$/.test(text) && !/[/\\]/.test(text) && text.length < 1_000;
}

function query(parameters: readonly { name: string; schema: object }[], pool: Pool): fc.Arbitrary<string> {
  const pairs = parameters.map(({ name, schema }) =>
    fc
      .option(
        fc.oneof(
          { weight: 3, arbitrary: known(name, pool, fitting(schema, resolve).map(String)) },
          { weight: 1, arbitrary: hostileText },
        ),
        { freq: 2 },
      )
      .map((value): [string, string][] => (value === null ? [] : [[name, value.slice(0, 2_000)]])),
  );
  const stranger = rarely(fc.tuple(fc.string(), hostileText)).map((pair): [string, string][] =>
    pair === null ? [] : [[pair[0], pair[1].slice(0, 2_000)]],
  );
  return fc
    .tuple(...pairs, stranger)
    .map((groups) =>
      new URLSearchParams(
        groups.flat().map(([name, value]): [string, string] => [name, wellFormed(value)]),
      ).toString(),
    );
}

interface Content {
  readonly body?: string;
  readonly type?: string;
}

function content({ requestBody }: Operation): fc.Arbitrary<Content> {
  const [[type, media] = [undefined, undefined]] = Object.entries(requestBody?.content ?? {});
  if (type === undefined) return fc.constant({});
  const right = fitting(media?.schema, resolve);
  const example = fc.constant(media?.example ?? {});
  const json = (value: unknown): Content => ({ body: JSON.stringify(value) ?? "", type });
  return fc.oneof(
    { weight: 4, arbitrary: example.map(json) },
    { weight: 4, arbitrary: example.chain(mutated).map(json) },
    { weight: 3, arbitrary: right.map(json) },
    { weight: 3, arbitrary: right.chain(mutated).map(json) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: "binary" }).map((body) => ({ body: wellFormed(body), type })),
    },
    { weight: 1, arbitrary: fc.constant({ body: "<a/>", type: "application/xml" }) },
  );
}

function encoded(text: string | undefined): string {
  return encodeURIComponent(wellFormed(text ?? ""));
}

/** Half a surrogate pair cannot be sent. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
