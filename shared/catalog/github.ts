import { githubAdministration } from "./github-administration.ts";
import { githubCode } from "./github-code.ts";
import { githubCollaboration } from "./github-collaboration.ts";
import type { SourceCatalog } from "./rows.ts";

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads */
export const github: SourceCatalog = {
  source: "github",
  prefix: "github",
  rows: [...githubCollaboration, ...githubCode, ...githubAdministration],
};
