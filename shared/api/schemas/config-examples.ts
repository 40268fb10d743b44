const hash = "5f0c8a1be2d94c7790c8f6f1d3b2a4e7";

export const exampleConfig = {
  routes: [
    {
      routeName: "PR_TO_CHAT",
      enabled: true,
      subject: "github.events.pull_request.opened",
      endpointKey: "chat",
      operation: {
        kind: "generic-http",
        method: "POST",
        path: "/messages",
        idempotencyHeader: "Idempotency-Key",
        body: { text: "{{data.pull_request.title}}" },
      },
    },
  ],
  endpoints: { chat: { url: "https://chat.example/api" } },
};

export const exampleStored = { hash, version: 3, config: exampleConfig };

export const exampleReplaced = {
  hash,
  version: 3,
  created: true,
  previousHash: "0a1b2c3d4e5f60718293a4b5c6d7e8f9",
  warnings: [],
  diff: { added: [{ kind: "route", name: "PR_TO_CHAT" }], removed: [], changed: [] },
};

export const exampleChange = {
  version: 3,
  hash,
  at: "2026-11-18T09:30:00.000Z",
  by: "0123456789abcdef",
  comment: "Pull requests to the chat",
};

export const exampleArtifact = {
  format: "interlock-routes-1",
  hash,
  environment: "qa",
  exportedAt: "2026-11-18T09:30:00.000Z",
  config: exampleConfig,
};
