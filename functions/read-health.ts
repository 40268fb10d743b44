import { app, type HttpResponseInit } from "@azure/functions";

import { version } from "../shared/version.ts";

/** Says that the process answers, and nothing about what it depends on: for load balancers that ask often. */
function readHealth(): HttpResponseInit {
  return { jsonBody: { status: "ok", version } };
}

app.http("read-health", {
  route: "health",
  methods: ["GET"],
  authLevel: "anonymous",
  handler: readHealth,
});
