import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { HostProcess } from "../../support/host-process.ts";

const steps = ["left", "right", "retried", "child", "second generation"];
const output = {
  results: ["left", "right", "retried", "gone", "child", 11, "second generation"],
  value: 111,
};

type Kills = NonNullable<ConstructorParameters<typeof HostProcess>[0]["kills"]>;

function start(dataDir: string, kills: Kills = true): HostProcess {
  return new HostProcess({
    dataDir,
    kills,
    settings: { "AzureWebJobs.tick.Disabled": "1" },
    // Small enough that journals begin anew all the time.
    hub: { durability: "process", rotateAtBytes: 30_000 },
  });
}

/**
 * Each host is killed while it runs an orchestration; the next one ends what it left behind, and is the next to be
 * killed. So every host but the first finds a hub that others died over.
 */
describe("a host that is killed (RUN-05)", () => {
  test.concurrent.each(["before", "after"])(
    "%s any commit of an orchestration loses nothing and does nothing twice",
    async (moment) => {
      const dataDir = mkdtempSync(join(tmpdir(), "crash-"));
      let host = start(dataDir);
      try {
        let killed = true;
        let commits = 0;
        while (killed) {
          commits += 1;
          const id = `${moment}-${commits}`;
          await host.hears("leading");
          host.tell({ run: id, killAt: commits, moment });
          killed = (await host.finishesOrDies(id)) === "died";
          const reported = host.reports("step");
          if (killed) {
            host = start(dataDir);
            await host.hears("leading");
            // Killed before the commit that would have started it, it never was.
            if (moment === "before" && commits === 1) continue;
            host.tell({ watch: id });
          }
          const end = await host.hears("finished", (told) => told.id === id);
          expect(end).toMatchObject({ status: "Completed", output });
          reported.push(...host.reports("step"));
          for (const step of steps) expect(reported).toContain(`${id} ${step}`);
        }
        expect(commits).toBeGreaterThan(25);
      } finally {
        await host.kill();
        rmSync(dataDir, { recursive: true });
      }
    },
    120_000,
  );

  test("again and again over one orchestration still brings it to its end", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "crash-"));
    const kills = { number: 4, moment: "after" } as const;
    let host = start(dataDir, kills);
    try {
      host.tell({ run: "unlucky" });
      let lives = 1;
      while ((await host.finishesOrDies("unlucky")) === "died") {
        lives += 1;
        host = start(dataDir, kills);
        host.tell({ watch: "unlucky" });
      }
      expect(await host.hears("finished")).toMatchObject({ status: "Completed", output });
      expect(lives).toBeGreaterThan(5);
    } finally {
      await host.kill();
      rmSync(dataDir, { recursive: true });
    }
  }, 60_000);
});
