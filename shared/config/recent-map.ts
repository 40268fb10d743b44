/** Keeps what was used last, up to so many; the rest is forgotten. */
export interface RecentMap<V> {
  readonly get: (key: string) => V | undefined;
  readonly set: (key: string, value: V) => void;
  /** Only if it is still this value: somebody may have put another in its place. */
  readonly drop: (key: string, value?: V) => void;
}

export function createRecentMap<V>(limit: number): RecentMap<V> {
  const values = new Map<string, V>();
  const set = (key: string, value: V): void => {
    values.delete(key);
    values.set(key, value);
    const [oldest] = values.keys();
    if (values.size > limit && oldest !== undefined) values.delete(oldest);
  };
  return {
    set,
    get: (key) => {
      const value = values.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    drop: (key, value) => {
      if (value === undefined || values.get(key) === value) values.delete(key);
    },
  };
}
