/** The parts of the API, in the order the document lists them. */
export const tags = {
  Hooks: "Where sources send their webhooks.",
  Connections: "A tenant's links to its sources.",
  Config: "What happens to events: routes, profiles and endpoints, versioned as one document.",
  Routes: "The routes as they run: their state, pausing and releasing.",
  Catalog: "The subjects that are known, and those that were seen.",
  Events: "What came in, and what became of it.",
  Failures: "What failed and is parked.",
  Replays: "Doing again what failed, one or many, dry or for real.",
  Escalations: "What a person has to look at.",
  Secrets: "Credentials for what routes talk to, kept in Key Vault.",
  Access: "API keys and their roles.",
  Audit: "Who changed what.",
  Service: "About the service itself.",
} as const;

export type Tag = keyof typeof tags;
