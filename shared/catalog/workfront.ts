import type { CatalogRow, SourceCatalog } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

const event: Fields = {
  eventType: "string",
  subscriptionId: "string",
  "eventTime.epochSecond": "integer",
  "eventTime.nano": "integer?",
  newState: "object",
  oldState: "object",
};

const state: Fields = {
  ID: "string?",
  objCode: "string?",
  name: "string|null?",
  status: "string|null?",
  lastUpdateDate: "string|null?",
  ownerID: "string|null?",
};

function row(objectType: string, article: string, more: Fields = {}): CatalogRow {
  const inState = (name: string): Fields =>
    Object.fromEntries(
      Object.entries({ ...state, ...more }).map(([path, type]) => [`${name}.${path}`, type]),
    );
  return {
    event: objectType,
    title: `${article} ${objectType.replaceAll("_", " ")} changed`,
    actions: ["created", "updated", "deleted"],
    fields: { ...event, ...inState("newState"), ...inState("oldState") },
  };
}

/** https://experienceleague.adobe.com/docs/workfront/using/adobe-workfront-api/event-subscriptions */
export const workfront: SourceCatalog = {
  source: "workfront",
  prefix: "workfront",
  rows: [
    row("project", "A", { percentComplete: "number|null?", plannedCompletionDate: "string|null?" }),
    row("task", "A", { projectID: "string|null?", percentComplete: "number|null?" }),
    row("issue", "An", { projectID: "string|null?" }),
    row("portfolio", "A"),
    row("program", "A", { portfolioID: "string|null?" }),
    row("template", "A"),
    row("assignment", "An"),
    row("company", "A"),
    row("document", "A"),
    row("document_version", "A"),
    row("expense", "An"),
    row("hour", "An"),
    row("note", "A"),
    row("timesheet", "A"),
    row("user", "A"),
  ],
};
