import type { Platform } from "../platform/platform.ts";

/** One for each platform, made when it is first asked for: caches must not mix the data of two. */
export function perPlatform<T extends object>(create: (platform: Platform) => T): (platform: Platform) => T {
  const made = new WeakMap<Platform, T>();
  return (platform) => {
    const found = made.get(platform) ?? create(platform);
    made.set(platform, found);
    return found;
  };
}
