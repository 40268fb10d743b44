import type { Escape } from "./template.ts";
import { TemplateProblem } from "./template-syntax.ts";

/**
 * For the path or query of an address. An empty value would turn `/items/{{data.id}}` into the address of all items,
 * and `..` climbs out of the path however it is escaped, so neither may stand in the path.
 */
export const forUrl: Escape = (value, { path, before }) => {
  const inQuery = before.includes("?");
  if (!inQuery && value === "")
    throw new TemplateProblem(`${path} is empty, and the address needs it.`, path);
  if (!inQuery && (value === "." || value === "..")) {
    throw new TemplateProblem(`${path} would lead to another address.`, path);
  }
  try {
    return encodeURIComponent(value);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new TemplateProblem(`${path} holds half a character, which no address can.`, path);
  }
};

/** For a header's value: a line break would begin another header, and HTTP knows no letters beyond Latin-1. */
export const forHeader: Escape = (value, { path }) => {
  if (/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) return value;
  throw new TemplateProblem(`${path} holds a line break or another character a header must not have.`, path);
};
