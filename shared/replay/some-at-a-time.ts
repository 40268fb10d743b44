/** Like `Promise.all` over `map`, with no more than so many under way; the first that fails ends it. */
export async function someAtATime<T, R>(
  items: readonly T[],
  most: number,
  act: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += most) {
    results.push(...(await Promise.all(items.slice(from, from + most).map(act))));
  }
  return results;
}
