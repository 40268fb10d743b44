import { fork } from "node:child_process";
import { once } from "node:events";

import type { VolleyResult } from "./vendor.ts";
import type { Vendor } from "./vendor-process.ts";

const secret = "the-limit-has-a-secret-too";

/** Sends the same webhooks to the bare server, so many at a time, for each of the widths. */
export async function measureLimit(
  vendor: Vendor,
  folder: string,
  widths: readonly number[],
  options: { readonly sync: boolean; readonly quick: boolean },
): Promise<Map<number, VolleyResult>> {
  const args = [folder, secret, ...(options.sync ? ["--sync"] : [])];
  const child = fork(new URL("./limit-server.js", import.meta.url), args, { execArgv: [] });
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const host = `127.0.0.1:${port}`;
  const fire = (width: number, count: number): Promise<VolleyResult> =>
    vendor.fire({
      url: `http://${host}`,
      hook: { host, path: "/", secret },
      first: 0,
      count,
      width,
      until: "answered",
      effects: false,
      different: 2000,
    });
  const results = new Map<number, VolleyResult>();
  await fire(64, 10_000);
  for (const width of widths)
    results.set(width, await fire(width, (width === 1 ? 10_000 : 60_000) / (options.quick ? 10 : 1)));
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
  return results;
}
