import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { catalogSubjects } from "../../../shared/catalog/catalog.ts";
import { validateConfig } from "../../../shared/config/validate.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/routes.md"), "utf8");

test("the configuration that docs/routes.md begins with can be put into place as it stands", () => {
  const [, example = ""] = /```json\n([^]*?)```/.exec(page) ?? [];
  const { errors, warnings } = validateConfig(JSON.parse(example), { knownSubjects: catalogSubjects });
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
});
