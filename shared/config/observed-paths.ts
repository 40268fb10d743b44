import { parsePath } from "../json/paths.ts";

/** Rows keep so many paths and so deep ones: what is missing in such a one may only have been cut off. */
const cutOffAt = 200;
const deepest = 8;

/**
 * Whether payloads of this shape may hold something at the path. Shapes are what `catalog/field-paths.ts` made: the
 * leaves, with `[*]` for items and `*` for keys that are no names. What cannot be told counts as yes.
 */
export function mayHold(shape: readonly string[], path: string): boolean {
  if (shape.length >= cutOffAt) return true;
  const wanted = stepsOf(path);
  if (wanted === undefined || wanted.length > deepest) return true;
  return shape.some((leaf) => agree(wanted, leafSteps(leaf)));
}

/** As far as both go: a path may stop above a leaf, and a leaf may be an empty list whose items had more. */
function agree(wanted: readonly string[], leaf: readonly string[]): boolean {
  return wanted.every((step, at) => {
    const other = leaf[at];
    return other === undefined || other === step || (other === "*" && step !== each);
  });
}

const each = "[*]";

/** Undefined where it is no path: that is another mistake. */
function stepsOf(path: string): string[] | undefined {
  try {
    return parsePath(path).map((step) => (step.kind === "property" ? step.name : each));
  } catch {
    return undefined;
  }
}

function leafSteps(leaf: string): string[] {
  return leaf
    .replaceAll(each, `.${each}`)
    .split(".")
    .filter((step) => step !== "");
}
