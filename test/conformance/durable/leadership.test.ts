import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { Leadership } from "../../../local/host/durable/leadership.ts";

let dir: string;
let all: Leadership[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "leadership-"));
  all = [];
});
afterEach(() => {
  for (const one of all) one.stop();
  rmSync(dir, { recursive: true });
});

function candidate(url: string): Leadership {
  const one = new Leadership(dir, url);
  all.push(one);
  return one;
}

function enter(one: Leadership): { leads: Promise<boolean>; follows: Promise<string> } {
  let leads: Promise<boolean> = Promise.resolve(false);
  const follows = new Promise<string>((resolve) => {
    leads = one.lead(resolve);
  });
  return { leads, follows };
}

describe("leadership of a data folder", () => {
  test("goes to one, whom the others know, and to the next when that one stops", async () => {
    const first = candidate("http://first");
    expect(await first.lead()).toBe(true);
    expect(first.leaderUrl).toBe("http://first");
    const second = candidate("http://second");
    const following = enter(second);
    expect(await following.follows).toBe("http://first");
    expect(second.leaderUrl).toBe("http://first");
    first.stop();
    expect(await following.leads).toBe(true);
    expect(second.leaderUrl).toBe("http://second");
  });

  test("goes to exactly one of many that want it at once", async () => {
    const many = Array.from({ length: 8 }, (_, n) => candidate(`http://${n}`));
    const leading = many.map((one) => one.lead().then((leads) => (leads ? one : undefined)));
    const leader = await Promise.race(leading);
    expect(many.filter((one) => one.leaderUrl === leader?.leaderUrl && one === leader)).toHaveLength(1);
    for (const one of many) if (one !== leader) one.stop();
    const led = (await Promise.all(leading)).filter((one) => one !== undefined);
    expect(led).toEqual([leader]);
  });

  test("is not taken by one that was stopped while it waited", async () => {
    const first = candidate("http://first");
    await first.lead();
    const second = candidate("http://second");
    const following = enter(second);
    await following.follows;
    second.stop();
    first.stop();
    expect(await following.leads).toBe(false);
    expect(await candidate("http://third").lead()).toBe(true);
  });

  test("is not kept by one that was stopped while it took it", async () => {
    const hasty = candidate("http://hasty");
    const leads = hasty.lead();
    hasty.stop();
    expect(await leads).toBe(false);
    expect(await candidate("http://next").lead()).toBe(true);
  });
});
