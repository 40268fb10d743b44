import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { TaskHub } from "../../../local/host/durable/hub.ts";
import { change, finished } from "../../support/hub-changes.ts";

interface Snapshot {
  readonly dir: string;
  readonly acknowledged: number;
  readonly issued: number;
}

/** What a crash at this instant would leave behind; a file that is renamed while it is copied makes it try again. */
function copyNow(from: string, to: string): void {
  for (let attempt = 0; ; attempt += 1) {
    try {
      cpSync(from, to, { recursive: true });
      return;
    } catch (error) {
      rmSync(to, { recursive: true, force: true });
      if (attempt === 5) throw error;
    }
  }
}

/** Every third instance goes on running, so that there is something to carry from one journal to the next. */
function commitOf(n: number): ReturnType<typeof finished> {
  return n % 3 === 0 ? [change.create(`i-${n}`, `"${"x".repeat(100)}"`, n)] : finished(`i-${n}`, String(n));
}

test("a hub that crashes at any instant, also while its journal begins anew, holds all that was acknowledged", async () => {
  const root = mkdtempSync(join(tmpdir(), "hub-snapshots-"));
  const options = { rotateAtBytes: 3000, durability: "process" } as const;
  const dir = join(root, "hub");
  const hub = await TaskHub.open(dir, options);
  const snapshots: Snapshot[] = [];
  let issued = 0;
  let acknowledged = 0;
  const commits: Promise<void>[] = [];
  while (issued < 400) {
    for (let burst = 0; burst < 1 + (issued % 4); burst += 1) {
      commits.push(
        hub.commit(commitOf(issued)).then(() => {
          acknowledged += 1;
        }),
      );
      issued += 1;
    }
    await new Promise(setImmediate);
    const to = join(root, `at-${snapshots.length}`);
    snapshots.push({ dir: to, acknowledged, issued });
    copyNow(dir, to);
  }
  await Promise.all(commits);
  await hub.close();
  for (const snapshot of snapshots) {
    const copy = await TaskHub.open(snapshot.dir, options);
    const held = new Set(copy.list({}, 1000).map(({ id }) => id));
    expect(held.size).toBeGreaterThanOrEqual(snapshot.acknowledged);
    expect(held.size).toBeLessThanOrEqual(snapshot.issued);
    // The first ones, without a gap: only the end of the story may be missing.
    for (let n = 0; n < held.size; n += 1) expect(held.has(`i-${n}`)).toBe(true);
    await copy.close();
  }
  expect(snapshots.some(({ acknowledged: done, issued: all }) => done < all)).toBe(true);
  rmSync(root, { recursive: true });
});
