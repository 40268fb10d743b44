import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

import { encodeHead } from "../codec/encode-message.ts";
import type { QueuedMessage } from "../entities/queued-message.ts";
import type { RuleDescription } from "../entities/settings.ts";
import type { CreatedEntity, Store } from "../entities/store.ts";
import { GroupCommit } from "./group-commit.ts";
import { readImage, type JournalImage, type RulesImage } from "./image.ts";
import { JournalFile, type Durability } from "./journal-file.ts";
import { readRecords } from "./read-records.ts";
import { encodeRecord, type JournalRecord } from "./record.ts";

export interface JournalOptions {
  readonly directory: string;
  readonly durability: Durability;
  readonly log: (line: string) => void;
  /** Size from which on the journal is rewritten when more than half of it is dead. */
  readonly compactAboveBytes?: number;
}

/** What the journal cannot know by itself: how much is alive, and how to say it again. */
export interface LiveState {
  bytes(): number;
  records(): Iterable<Buffer>;
}

/** The store that survives `kill -9`: an append-only file, read back at the start. */
export class JournalStore implements Store {
  readonly image: JournalImage;
  readonly #file: JournalFile;
  readonly #group: GroupCommit;
  readonly #log: (line: string) => void;
  readonly #compactAbove: number;
  readonly #rules = new Map<string, RulesImage>();
  readonly #entities = new Map<string, CreatedEntity>();
  #live: LiveState | undefined;
  #lookAgainAt: number;

  constructor({ directory, durability, log, compactAboveBytes = 64 * 1024 * 1024 }: JournalOptions) {
    mkdirSync(directory, { recursive: true });
    const path = join(directory, "service-bus.journal");
    let torn = 0;
    this.image = readImage(
      (function* () {
        torn = yield* readRecords(path);
      })(),
    );
    if (torn > 0) {
      copyFileSync(path, `${path}.torn`);
      log(`The journal ends in ${torn} bytes that are no whole record; they are kept in ${path}.torn.`);
    }
    this.#file = new JournalFile(path, durability);
    this.#group = new GroupCommit((chunks) => this.#write(chunks), log);
    this.#log = log;
    this.#compactAbove = compactAboveBytes;
    this.#lookAgainAt = compactAboveBytes;
  }

  /** Begins a fresh journal that says only what is alive now. Called once the image is restored. */
  begin(live: LiveState): void {
    this.#live = live;
    this.#compact(live);
  }

  put(queue: string, message: QueuedMessage): void {
    this.#group.append(messageRecord(queue, message));
  }

  recount(queue: string, { sequence, state, deliveryCount }: QueuedMessage): void {
    this.#append({ kind: "recount", queue, sequence, state, deliveryCount });
  }

  remove(queue: string, { sequence }: QueuedMessage): void {
    this.#append({ kind: "removed", queue, sequence });
  }

  remember(queue: string, id: string, at: number): void {
    this.#append({ kind: "seen", queue, id, at });
  }

  saveSessionState(queue: string, session: string, state: Buffer | undefined): void {
    this.#group.append(sessionRecord(queue, session, state));
  }

  saveRules(
    subscription: string,
    configured: readonly RuleDescription[],
    rules: readonly RuleDescription[],
  ): void {
    this.#rules.set(subscription, { configured, rules });
    this.#append({ kind: "rules", subscription, configured, rules });
  }

  saveEntity(path: string, entity: CreatedEntity): void {
    this.#entities.set(path, entity);
    this.#append({ kind: "entity", path, entity });
  }

  dropEntity(path: string): void {
    for (const map of [this.#rules, this.#entities]) {
      for (const key of map.keys()) if (key === path || key.startsWith(`${path}/`)) map.delete(key);
    }
    this.#append({ kind: "dropped", path });
  }

  commit(done: () => void): void {
    this.#group.commit(done);
  }

  flush(): boolean {
    return this.#group.flush();
  }

  close(): void {
    this.#group.end();
    this.#file.close();
  }

  #append(record: JournalRecord): void {
    this.#group.append(encodeRecord(record));
  }

  #write(chunks: readonly Buffer[]): void {
    this.#file.append(chunks);
    if (this.#file.size < this.#lookAgainAt || !this.#live) return;
    if (this.#live.bytes() * 2 < this.#file.size) this.#compact(this.#live);
    else this.#lookAgainAt = this.#file.size * 1.5;
  }

  #compact(live: LiveState): void {
    this.#file.replace(this.#snapshot(live));
    this.#lookAgainAt = Math.max(this.#compactAbove, this.#file.size * 2);
    this.#log(`The journal was rewritten: ${this.#file.size} bytes.`);
  }

  *#snapshot(live: LiveState): Iterable<Buffer> {
    for (const [path, entity] of this.#entities) yield encodeRecord({ kind: "entity", path, entity });
    for (const [subscription, { configured, rules }] of this.#rules) {
      yield encodeRecord({ kind: "rules", subscription, configured, rules });
    }
    yield* live.records();
  }
}

/** The content is written as the sender sent it: header and annotations, then the bare message. */
export function messageRecord(queue: string, message: QueuedMessage): Buffer {
  const { sequence, enqueuedSequence, enqueuedAt, ttlMs, expiresAt, dueAt, deadLetterSource, state } =
    message;
  const { deliveryCount, content } = message;
  return encodeRecord(
    {
      kind: "message",
      queue,
      sequence,
      enqueuedSequence,
      enqueuedAt,
      ttlMs,
      expiresAt,
      dueAt,
      deadLetterSource,
      state,
      deliveryCount,
    },
    [encodeHead(content, { ttlMs: content.head.ttlMs }), content.bare],
  );
}

export function sessionRecord(queue: string, session: string, state: Buffer | undefined): Buffer {
  return encodeRecord(
    { kind: "session-state", queue, session, cleared: state === undefined },
    state ? [state] : [],
  );
}
