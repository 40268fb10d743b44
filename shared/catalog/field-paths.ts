/** Enough for every vendor's payload, and little enough for a row of a table. */
const mostPaths = 200;
const longestPath = 140;
const deepestPath = 8;
/** Elements of a list mostly look alike. */
const elementsLookedAt = 3;
/** An object with more fields is a map, and its keys are somebody's data. */
const mostFields = 100;
const fieldName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/**
 * Where a payload holds something, such as `pull_request.labels[*].name`: its shape without its values. A key that is
 * not a name, an e-mail address say, becomes `*`.
 */
export function fieldPaths(data: unknown): readonly string[] {
  const paths = new Set<string>();
  // By level, so that what is cut off is the deepest.
  let level: readonly Place[] = [{ path: "", value: data }];
  for (let depth = 0; depth <= deepestPath && level.length > 0; depth += 1) {
    const next: Place[] = [];
    for (const { path, value } of level) {
      const below = isContainer(value) ? placesIn(path, value) : [];
      if (below.length === 0 && path !== "" && path.length <= longestPath) paths.add(path);
      if (paths.size >= mostPaths) return [...paths].toSorted();
      for (const place of below) if (next.length < mostPaths * elementsLookedAt) next.push(place);
    }
    level = next;
  }
  return [...paths].toSorted();
}

interface Place {
  readonly path: string;
  readonly value: unknown;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function placesIn(path: string, value: object): readonly Place[] {
  if (Array.isArray(value)) {
    const elements: readonly unknown[] = value.slice(0, elementsLookedAt);
    return elements.map((element) => ({ path: `${path}[*]`, value: element }));
  }
  const fields = Object.entries(value).slice(0, mostFields + 1);
  const isMap = fields.length > mostFields;
  return fields.map(([name, field]: [string, unknown]) => {
    const key = !isMap && fieldName.test(name) ? name : "*";
    return { path: path === "" ? key : `${path}.${key}`, value: field };
  });
}

/** Both, as far as a row has room: what is known stays. */
export function mergePaths(known: readonly string[], observed: readonly string[]): readonly string[] {
  return [...new Set([...known, ...observed])].slice(0, mostPaths).toSorted();
}
