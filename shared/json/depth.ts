/** Level by level, so that a document nested a million times is told without a million calls. */
export function isDeeperThan(limit: number, document: unknown): boolean {
  let level: readonly unknown[] = [document];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((value): readonly unknown[] =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
