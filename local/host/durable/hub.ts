import type { RuntimeStatus } from "./history.ts";
import type { Archive } from "./archive.ts";
import { apply } from "./apply-change.ts";
import type { Change, Instance } from "./instance.ts";
import { Journal, type JournalOptions } from "./journal.ts";

export interface InstanceFilter {
  readonly createdFrom?: number;
  readonly createdTo?: number;
  readonly statuses?: readonly RuntimeStatus[];
  readonly idPrefix?: string;
  readonly kind?: Instance["kind"];
}

interface Listed {
  readonly id: string;
  readonly createdTime: number;
}

/**
 * The task hub: every orchestration and entity, and the only way to change them.
 *
 * `commit` applies at once and resolves when the commit is on disk. Commits reach the disk in the order they were
 * made, so whatever a crash takes away is the end of the story, never a part of the middle; what the world outside
 * can see (activities, answers) has to wait for the promise.
 */
export class TaskHub {
  readonly #instances: Map<string, Instance>;
  readonly #archive: Archive | undefined;
  readonly #journal: Journal | undefined;

  private constructor(instances: Map<string, Instance>, journal: Journal | undefined) {
    this.#instances = instances;
    this.#journal = journal;
    this.#archive = journal?.archive;
  }

  /** Without a folder the hub lives and dies with the process. */
  static async open(dir: string | undefined, options: JournalOptions = {}): Promise<TaskHub> {
    const instances = new Map<string, Instance>();
    if (dir === undefined) return new TaskHub(instances, undefined);
    return new TaskHub(instances, await Journal.open(dir, instances, options));
  }

  /** Instances that may still move. */
  live(): Iterable<Instance> {
    return this.#instances.values();
  }

  getLive(id: string): Instance | undefined {
    return this.#instances.get(id);
  }

  /** Also what rests. */
  get(id: string): Instance | undefined {
    return this.#instances.get(id) ?? this.#archive?.read(id);
  }

  async commit(changes: readonly Change[]): Promise<void> {
    const all: Change[] = [];
    for (const wanted of changes) {
      for (const change of this.#withRevival(wanted)) {
        all.push(change);
        apply(this.#instances, change);
        if (change.do === "create" || change.do === "purge" || change.do === "revive") {
          this.#archive?.forget(change.do === "revive" ? change.instance.id : change.id);
        }
      }
    }
    await this.#journal?.append(all);
  }

  /** The first `limit` matches in order of creation, after the one that `after` names. */
  list(filter: InstanceFilter, limit: number, after?: Listed): Instance[] {
    const found: Listed[] = [];
    const consider = (entry: Listed): void => {
      if (after !== undefined && order(entry, after) <= 0) return;
      if (found.length === limit && order(entry, found[limit - 1] as Listed) >= 0) return;
      const place = found.findIndex((other) => order(entry, other) < 0);
      found.splice(place === -1 ? found.length : place, 0, entry);
      if (found.length > limit) found.pop();
    };
    for (const instance of this.#instances.values()) {
      const status = instance.kind === "entity" ? "Running" : instance.status;
      if (matches(filter, instance, status)) consider(instance);
    }
    for (const entry of this.#archive?.entries() ?? []) {
      if (matches(filter, entry, entry.status)) consider(entry);
    }
    return found.flatMap(({ id }) => this.get(id) ?? []);
  }

  async close(): Promise<void> {
    await this.#journal?.close();
  }

  /** Speaking to an entity at rest brings it back first. */
  #withRevival(change: Change): Change[] {
    if (change.do !== "ask" || this.#archive?.has(change.id) !== true) return [change];
    const instance = this.#archive.read(change.id);
    return instance === undefined ? [change] : [{ do: "revive", instance }, change];
  }
}

function order(one: Listed, other: Listed): number {
  if (one.createdTime !== other.createdTime) return one.createdTime - other.createdTime;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}

function matches(
  { createdFrom, createdTo, statuses, idPrefix, kind }: InstanceFilter,
  entry: Listed & { readonly kind: Instance["kind"] },
  status: RuntimeStatus,
): boolean {
  return (
    (kind === undefined || entry.kind === kind) &&
    (createdFrom === undefined || entry.createdTime >= createdFrom) &&
    (createdTo === undefined || entry.createdTime <= createdTo) &&
    (statuses === undefined || statuses.includes(status)) &&
    (idPrefix === undefined || entry.id.startsWith(idPrefix))
  );
}
