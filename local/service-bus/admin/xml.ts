/** As much XML as the ATOM dialect of the service needs: elements, attributes, text. No DTDs, no entities of its own. */
export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
}

export class XmlError extends Error {
  override readonly name = "XmlError";
}

const token =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)|</g;
const attribute = /([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const deepest = 32;

/** Parses a document and returns its root element. */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [root];
  for (const [whole, closing, name, attributes, selfClosing, characters] of text.matchAll(token)) {
    const parent = open.at(-1) ?? root;
    if (characters !== undefined) {
      parent.text += unescape(characters);
    } else if (name === undefined) {
      if (whole === "<") throw new XmlError("a tag is not well formed");
    } else if (closing === "/") {
      if (open.pop()?.name !== localName(name) || open.length === 0)
        throw new XmlError(`</${name}> closes nothing`);
    } else {
      const element = {
        name: localName(name),
        attributes: readAttributes(attributes ?? ""),
        children: [],
        text: "",
      };
      parent.children.push(element);
      if (selfClosing !== "/") open.push(element);
      if (open.length > deepest) throw new XmlError("elements are nested too deeply");
    }
  }
  const [document] = root.children;
  if (open.length !== 1 || !document) throw new XmlError("the document is not complete");
  return document;
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

function readAttributes(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name, double, single] of text.matchAll(attribute)) {
    found.set(localName(name ?? ""), unescape(double ?? single ?? ""));
  }
  return found;
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

const unescape = (text: string): string =>
  text.replace(
    /&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
    },
  );

export const escapeXml = (text: string): string =>
  text.replace(
    /[<>&"]/g,
    (character) => `&${{ "<": "lt", ">": "gt", "&": "amp", '"': "quot" }[character] ?? ""};`,
  );

export const child = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((candidate) => candidate.name === name);

/** An element with text or, where the value is absent, nothing at all. */
export const tag = (name: string, value: string | number | boolean | undefined): string =>
  value === undefined ? "" : `<${name}>${escapeXml(String(value))}</${name}>`;
