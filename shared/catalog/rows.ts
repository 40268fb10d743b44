import type { Fields } from "./schema-of.ts";

/** One kind of event and, where there are any, the actions that make a subject each. */
export interface CatalogRow {
  readonly event: string;
  readonly actions?: readonly string[];
  readonly title: string;
  /** What routes and the source rely on. */
  readonly fields: Fields;
}

/** The known events of one source. */
export interface SourceCatalog {
  readonly source: string;
  /** What its subjects begin with. */
  readonly prefix: string;
  readonly rows: readonly CatalogRow[];
}

/** A list of words that takes a line instead of one each. */
export function words(text: string): readonly string[] {
  return text.split(" ");
}
