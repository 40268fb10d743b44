import type { Fields } from "./schema-of.ts";

/** Of every event that is about a repository. */
export const repository: Fields = {
  "repository.full_name": "string",
  "repository.id": "integer",
  "sender.login": "string?",
};
