export interface ExpiringCache<T> {
  readonly get: (key: string) => Promise<T>;
}

export interface CacheOptions {
  readonly maxAgeMs: number;
  /** Of more than these, the one that was asked for longest ago goes. */
  readonly maxEntries: number;
  readonly clock?: () => number;
  /** Whether nothing found is asked for again the next time. */
  readonly forgetsAbsence?: boolean;
}

interface Kept<T> {
  readonly value: Promise<T>;
  readonly until: number;
}

/**
 * Remembers what was loaded for a while. All who ask for the same thing at once share one load; a load that failed is
 * not remembered.
 */
export function createExpiringCache<T>(
  { maxAgeMs, maxEntries, clock = Date.now, forgetsAbsence = false }: CacheOptions,
  load: (key: string) => Promise<T>,
): ExpiringCache<T> {
  const kept = new Map<string, Kept<T>>();

  function remember(key: string, entry: Kept<T>): void {
    // A map keeps the order of insertion, so what was used last stands last.
    kept.delete(key);
    kept.set(key, entry);
    const [oldest] = kept.keys();
    if (kept.size > maxEntries && oldest !== undefined) kept.delete(oldest);
  }

  return {
    get: (key) => {
      const now = clock();
      const found = kept.get(key);
      if (found !== undefined && found.until > now) {
        remember(key, found);
        return found.value;
      }
      const entry: Kept<T> = { value: load(key), until: now + maxAgeMs };
      remember(key, entry);
      const forget = (): void => {
        if (kept.get(key) === entry) kept.delete(key);
      };
      entry.value.then((value) => {
        if (forgetsAbsence && value === undefined) forget();
      }, forget);
      return entry.value;
    },
  };
}
