import { child, escapeXml, parseXml, tag, XmlError, type XmlElement } from "./xml.ts";

const atomNamespace = "http://www.w3.org/2005/Atom";
const serviceNamespace = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect";
const instanceNamespace = "http://www.w3.org/2001/XMLSchema-instance";

/** One entity in an answer: clients take its name from the path of the id. */
export interface Entry {
  readonly path: string;
  readonly kind: string;
  /** The content's elements; white space between them would become part of the values. */
  readonly content: string;
  readonly updatedAt: number;
}

export function entryXml(origin: string, { path, kind, content, updatedAt }: Entry, root = true): string {
  const updated = new Date(updatedAt).toISOString();
  return (
    `<entry${root ? ` xmlns="${atomNamespace}"` : ""}>` +
    tag("id", `${origin}/${path}`) +
    `<title type="text">${escapeXml(path)}</title>` +
    tag("published", updated) +
    tag("updated", updated) +
    `<link rel="self" href="${escapeXml(`${origin}/${path}`)}"/>` +
    `<content type="application/xml"><${kind} xmlns="${serviceNamespace}" xmlns:i="${instanceNamespace}">` +
    `${content}</${kind}></content></entry>`
  );
}

export function feedXml(
  origin: string,
  self: string,
  next: string | undefined,
  entries: readonly Entry[],
): string {
  const link = (relation: string, href: string): string =>
    `<link rel="${relation}" href="${escapeXml(`${origin}/${href}`)}"/>`;
  return (
    `<feed xmlns="${atomNamespace}">` +
    tag("id", `${origin}/${self}`) +
    link("self", self) +
    (next === undefined ? "" : link("next", next)) +
    entries.map((entry) => entryXml(origin, entry, false)).join("") +
    "</feed>"
  );
}

export const errorXml = (status: number, detail: string): string =>
  `<Error>${tag("Code", status)}${tag("Detail", detail)}</Error>`;

/** The description inside the entry a client sends. */
export function readDescription(body: string, kind: string): XmlElement {
  const entry = parseXml(body);
  const content = child(entry, "content");
  const description = content && child(content, kind);
  if (!description) throw new XmlError(`the entry holds no ${kind}`);
  return description;
}
