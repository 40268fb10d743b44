import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { printedFiles } from "./printed.ts";

const root = join(import.meta.dirname, "../../..");
for (const [path, text] of Object.entries(printedFiles(root))) writeFileSync(join(root, path), text);
