import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { journalText, readJournal } from "../../../local/key-vault/journal-text.ts";
import type { Change } from "../../../local/key-vault/secret.ts";
import { VaultState } from "../../../local/key-vault/vault-state.ts";

const name = fc.constantFrom("a", "A", "b", "c");
const id = fc.constantFrom("1", "2", "3");
const properties = fc.record({ enabled: fc.boolean() });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constant("set" as const),
    name,
    version: fc.record({ id, value: fc.string(), properties, created: fc.nat(), updated: fc.nat() }),
  }),
  fc.record({ kind: fc.constant("update" as const), name, id, properties, updated: fc.nat() }),
  fc.record({ kind: fc.constant("delete" as const), name, deletedAt: fc.nat(), purgeAt: fc.nat() }),
  fc.record({ kind: fc.constantFrom("recover" as const, "purge" as const), name }),
);

const stateOf = (changes: Iterable<Change>): VaultState => {
  const state = new VaultState();
  for (const each of changes) state.apply(each);
  return state;
};

/** The service never sets a version twice, nor a name while it is deleted, so neither does a journal. */
function possible(changes: readonly Change[]): Change[] {
  const state = new VaultState();
  return changes.filter((each) => {
    if (each.kind === "set") {
      const taken = state.secret(each.name)?.versions.has(each.version.id) ?? false;
      if (taken || state.deletedSecret(each.name)) return false;
    }
    state.apply(each);
    return true;
  });
}

describe("what a vault holds", () => {
  test("is the same after it was written as an image and read back", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const state = stateOf(possible(changes));
        const again = stateOf(readJournal("f", journalText(state.image(), true)));
        for (const each of ["a", "b", "c"]) {
          expect(again.secret(each)).toEqual(state.secret(each));
          expect(again.deletedSecret(each)).toEqual(state.deletedSecret(each));
        }
      }),
    );
  });

  test("is the same whether a journal was rewritten half-way or not", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.nat(40), (changes, cut) => {
        const all = possible(changes);
        const rewritten = stateOf([...stateOf(all.slice(0, cut)).image(), ...all.slice(cut)]);
        const straight = stateOf(all);
        for (const each of ["a", "b", "c"]) {
          expect(rewritten.secret(each)).toEqual(straight.secret(each));
          expect(rewritten.deletedSecret(each)).toEqual(straight.deletedSecret(each));
        }
      }),
    );
  });
});

describe("the text of a journal", () => {
  const purge: Change = { kind: "purge", name: "x" };

  test("loses only a last line that was cut off, wherever it was cut", () => {
    const text = journalText([purge, purge], true);
    const header = text.indexOf("\n") + 1;
    for (let length = header; length <= text.length; length += 1) {
      const lines = text.slice(header, length).split("\n").length - 1;
      expect(readJournal("f", text.slice(0, length))).toEqual([purge, purge].slice(0, lines));
    }
  });

  test.each(["{", "null", '{"kind":"other","name":"x"}', '{"kind":"purge"}'])(
    "is refused with the number of a whole line that reads %s",
    (line) => {
      const text = `${journalText([purge], true)}${line}\n`;
      expect(() => readJournal("f", text)).toThrow("Line 3 of f cannot be read");
    },
  );

  test("is nothing when there is no file", () => {
    expect(readJournal("f", undefined)).toEqual([]);
  });
});
