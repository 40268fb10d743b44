const key = Symbol.for("interlock.fixture");

/**
 * How tests and the apps under test/fixtures/apps talk: host, app and test share one process, and with it one
 * `globalThis`. Handlers report what they saw; a test can hold them and let them go.
 */
export class FixtureChannel {
  readonly #reports = new Map<string, unknown[]>();
  readonly #held = new Map<string, PromiseWithResolvers>();
  #waiting: (() => void)[] = [];

  report(name: string, detail?: unknown): void {
    const reports = this.#reports.get(name) ?? [];
    reports.push(detail);
    this.#reports.set(name, reports);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** What has been reported so far. */
  reported(name: string): unknown[] {
    return [...(this.#reports.get(name) ?? [])];
  }

  /** Resolves once there have been `count` reports. */
  async reports(name: string, count = 1): Promise<unknown[]> {
    while (this.reported(name).length < count) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.reported(name);
  }

  /** From now on handlers that pass `name` wait until it is released. */
  hold(name: string): void {
    this.#held.set(name, withResolvers());
  }

  release(name: string): void {
    this.#held.get(name)?.resolve();
    this.#held.delete(name);
  }

  pass(name: string): Promise<void> {
    return this.#held.get(name)?.promise ?? Promise.resolve();
  }

  clear(): void {
    this.#reports.clear();
    for (const name of this.#held.keys()) this.release(name);
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function withResolvers(): PromiseWithResolvers {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Apps find it under the same symbol; it must be there before an app is loaded. */
export function fixtureChannel(): FixtureChannel {
  const held = globalThis as { [key]?: FixtureChannel };
  held[key] ??= new FixtureChannel();
  return held[key];
}
