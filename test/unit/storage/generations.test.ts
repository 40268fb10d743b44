import { cpSync, readdirSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Generations } from "../../../local/storage/journal/generations.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

type Change = readonly [name: string, value: number];

/** Values by name, kept in a folder: what the generations are to be good for, at its smallest. */
class Kept {
  readonly values = new Map<string, number>();
  readonly folder: string;
  readonly generations: Generations;
  onImage = (): void => {};

  constructor(folder: string) {
    this.folder = folder;
    this.generations = new Generations({ folder, image: () => this.#image() });
    this.generations.open((commit) => this.#apply(commit as readonly Change[]));
  }

  commit(...changes: readonly Change[]): void {
    this.#apply(changes);
    this.generations.append(JSON.stringify(changes));
  }

  #apply(changes: readonly Change[]): void {
    for (const [name, value] of changes) this.values.set(name, value);
  }

  *#image(): Iterable<string> {
    const all = Array.from(this.values);
    for (const [name, value] of all) {
      this.onImage();
      yield JSON.stringify([[name, value]]);
    }
  }
}

/** What somebody finds who opens these files after a crash. */
function found(folder: string): Record<string, number> {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return Object.fromEntries(new Kept(copy).values);
}

const change = fc.tuple(fc.constantFrom("a", "b", "c", "d", "é"), fc.integer());
const commit = fc.array(change, { minLength: 1, maxLength: 4 });

describe("commits in append-only files", () => {
  test("are there again, with any number of rotations and restarts between them", async () => {
    const step = fc.oneof(commit, fc.constantFrom("rotate" as const, "restart" as const, "wait" as const));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        let kept = new Kept(temporaryFolder());
        const expected: Record<string, number> = {};
        for (const each of steps) {
          if (each === "rotate") kept.generations.rotate();
          else if (each === "wait") await kept.generations.settled();
          else if (each === "restart") {
            await kept.generations.close();
            kept = new Kept(kept.folder);
          } else {
            kept.commit(...each);
            Object.assign(expected, Object.fromEntries(each));
          }
          expect(Object.fromEntries(kept.values)).toEqual(expected);
          expect(found(kept.folder)).toEqual(expected);
        }
        await kept.generations.close();
      }),
      { numRuns: 30 },
    );
  });

  test("cut off anywhere, are there up to the last whole one, and take more", async () => {
    const kept = new Kept(temporaryFolder());
    const states = [{}];
    for (let n = 0; n < 20; n++) {
      kept.commit(["a", n], ["b", 100 - n]);
      states.push(Object.fromEntries(kept.values));
    }
    await kept.generations.close();
    const journal = join(kept.folder, "journal.1");
    const { size } = statSync(journal);
    for (let cut = 0; cut <= size; cut += 7) {
      const copy = temporaryFolder();
      cpSync(kept.folder, copy, { recursive: true });
      truncateSync(join(copy, "journal.1"), cut);
      const reopened = new Kept(copy);
      expect(states).toContainEqual(Object.fromEntries(reopened.values));
      reopened.commit(["c", 1]);
      expect(found(copy)).toEqual(Object.fromEntries(reopened.values));
      await reopened.generations.close();
    }
  });

  test("outlive a crash at any moment of a rotation, with what is committed meanwhile", async () => {
    const kept = new Kept(temporaryFolder());
    for (let n = 0; n < 50; n++) kept.commit([`k${n}`, n]);
    let moments = 0;
    kept.onImage = () => {
      moments++;
      kept.commit([`k${moments}`, 1000 + moments], [`new${moments}`, moments]);
      expect(found(kept.folder)).toEqual(Object.fromEntries(kept.values));
    };
    kept.generations.rotate();
    await kept.generations.settled();
    expect(moments).toBe(50);
    expect(readdirSync(kept.folder).toSorted()).toEqual(["base.2", "journal.2"]);
    expect(found(kept.folder)).toEqual(Object.fromEntries(kept.values));
    await kept.generations.close();
  });

  test("are refused when something in the middle was changed, and the file is named", async () => {
    const kept = new Kept(temporaryFolder());
    for (let n = 0; n < 5; n++) kept.commit(["a", n]);
    await kept.generations.close();
    const journal = join(kept.folder, "journal.1");
    writeFileSync(journal, "x", { flag: "r+" });
    expect(() => new Kept(kept.folder)).toThrow(`${journal} is damaged at byte 0`);
  });

  test("are refused when a base has lost its end, for it was whole", async () => {
    const kept = new Kept(temporaryFolder());
    for (let n = 0; n < 5; n++) kept.commit([`k${n}`, n]);
    kept.generations.rotate();
    await kept.generations.close();
    const again = new Kept(kept.folder);
    again.generations.rotate();
    await again.generations.settled();
    await again.generations.close();
    const base = join(kept.folder, "base.3");
    truncateSync(base, statSync(base).size - 3);
    expect(() => new Kept(kept.folder)).toThrow(`${base} is damaged at byte`);
  });
});
