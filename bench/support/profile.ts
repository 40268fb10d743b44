import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { percent, printTable, whole } from "./print.ts";

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** What a package, or a part of the repository, is for. The first that fits. */
const parts: readonly [pattern: RegExp, part: string][] = [
  [/node_modules\/@azure\/functions\//, "worker library (@azure/functions)"],
  [/node_modules\/(@azure\/(service-bus|core-amqp)|rhea|rhea-promise)\//, "client of the bus"],
  [/node_modules\/(@azure|@typespec|fast-xml)/, "client of storage"],
  [/node_modules\/undici\//, "client of vendors"],
  [/node_modules\/((?:@[^/]+\/)?[^/]+)/, "packages: $1"],
  [/\/dist\/local\/host/, "host"],
  [/\/dist\/shared\/([^/.]+)/, "product: $1"],
  [/\/dist\/(functions|orchestrations)/, "product: $1"],
];

/** Runs `work` with a folder for the profile of the process it starts, and says where that process spent its time. */
export async function profiled(
  folder: string,
  webhooks: number,
  work: (profileDir: string) => Promise<unknown>,
): Promise<void> {
  const profileDir = join(folder, "profiles");
  mkdirSync(profileDir, { recursive: true });
  await work(profileDir);
  for (const file of readdirSync(profileDir)) {
    printSplit(JSON.parse(readFileSync(join(profileDir, file), "utf8")) as Profile, webhooks);
  }
}

/** What Node itself does is counted for the part on whose behalf it does it, as far as one can be seen. */
function printSplit({ nodes, samples, timeDeltas }: Profile, webhooks: number): void {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const partOf = (id: number | undefined, began: string): string => {
    const node = id === undefined ? undefined : byId.get(id);
    if (node === undefined) return began;
    return ownPartOf(node) ?? partOf(parents.get(node.id), began);
  };
  const spent = new Map<string, { own: number; all: number }>();
  for (const [index, id] of samples.entries()) {
    const node = byId.get(id);
    if (node === undefined) continue;
    const own = ownPartOf(node);
    const part = own ?? partOf(parents.get(id), "Node: HTTP, sockets, event loop");
    const sums = spent.get(part) ?? { own: 0, all: 0 };
    const ms = (timeDeltas[index] ?? 0) / 1000;
    sums.all += ms;
    if (own !== undefined) sums.own += ms;
    spent.set(part, sums);
  }
  const idle = spent.get("idle")?.all ?? 0;
  spent.delete("idle");
  const busy = [...spent.values()].reduce((sum, { all }) => sum + all, 0);
  console.log(`\nThe host's process was busy for ${whole(busy)} ms and idle for ${whole(idle)} ms`);
  printTable(
    ["where its time goes", "share", "us a webhook", "of it in Node"],
    [...spent]
      .toSorted(([, a], [, b]) => b.all - a.all)
      .filter(([, { all }]) => all > busy / 500)
      .map(([part, { own, all }]) => [
        part,
        percent(all / busy),
        whole((all * 1000) / webhooks),
        percent((all - own) / busy),
      ]),
  );
}

function ownPartOf({ callFrame: { functionName, url } }: Node): string | undefined {
  if (functionName === "(idle)") return "idle";
  if (functionName === "(garbage collector)") return "garbage collector";
  for (const [pattern, part] of parts) {
    const found = pattern.exec(url);
    if (found !== null) return part.replace("$1", found[1] ?? "");
  }
  return undefined;
}
