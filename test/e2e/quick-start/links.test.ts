import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");

test.each(["README.md", "docs/quick-start.md", "docs/sources.md"])(
  "every link of %s leads somewhere",
  (page) => {
    const text = readFileSync(join(root, page), "utf8");
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g)].map(
      ([, target = ""]) => target,
    );
    expect(targets).not.toEqual([]);
    expect(targets.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  },
);
