import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { journalLine, readJournal } from "../../../local/host/durable/journal-file.ts";
import { StartError } from "../../../local/start-error.ts";

let dir: string;
let path: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "journal-"));
  path = join(dir, "journal-0.jsonl");
});
afterEach(() => rmSync(dir, { recursive: true }));

const records = [{ first: 1 }, { text: "zwei\n☂" }, { list: [1, 2, 3], deep: { er: true } }];
const lines = records.map((record) => Buffer.from(journalLine(JSON.stringify(record))));
const whole = Buffer.concat(lines);
const lastLength = lines.at(-1)?.length ?? 0;

describe("a journal", () => {
  test("gives back what was written", () => {
    writeFileSync(path, whole);
    expect(readJournal(path)).toEqual({ records, validBytes: whole.length });
  });

  test("that is empty holds nothing", () => {
    writeFileSync(path, "");
    expect(readJournal(path)).toEqual({ records: [], validBytes: 0 });
  });

  test("torn at any byte of the last record holds all the others", () => {
    const kept = whole.length - lastLength;
    for (let cut = kept; cut < whole.length; cut += 1) {
      writeFileSync(path, whole.subarray(0, cut));
      expect(readJournal(path)).toEqual({ records: records.slice(0, -1), validBytes: kept });
    }
  });

  test("whose last record has a wrong byte anywhere holds all the others", () => {
    const kept = whole.length - lastLength;
    for (let at = kept; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      writeFileSync(path, damaged);
      expect(readJournal(path)).toEqual({ records: records.slice(0, -1), validBytes: kept });
    }
  });

  test("followed by zeros, as after a power cut, holds all records", () => {
    writeFileSync(path, Buffer.concat([whole, Buffer.alloc(100)]));
    expect(readJournal(path)).toEqual({ records, validBytes: whole.length });
  });

  test("damaged anywhere before a whole record is not read, and the byte is named", () => {
    const start = lines[0]?.length ?? 0;
    const end = start + (lines[1]?.length ?? 0);
    for (let at = start; at < end - 1; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x01;
      writeFileSync(path, damaged);
      expect(() => readJournal(path)).toThrow(StartError);
      expect(() => readJournal(path)).toThrow(
        `The task hub's journal is damaged at byte ${start}: restore ${path}`,
      );
    }
    expect(readFileSync(path)).toHaveLength(whole.length);
  });
});
