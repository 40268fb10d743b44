import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";
import * as df from "durable-functions";

import { platform } from "../shared/platform/platform.ts";
import { checkAll } from "../shared/readiness.ts";

/** Uses everything the platform depends on once, and says what answered: for people and deployments. */
async function checkReadiness(_: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> {
  const readiness = await checkAll(platform(), df.getClient(context), (line) => context.warn(line));
  return { status: readiness.ready ? 200 : 503, jsonBody: readiness };
}

app.http("check-readiness", {
  route: "health/ready",
  methods: ["GET"],
  authLevel: "function",
  extraInputs: [df.input.durableClient()],
  handler: checkReadiness,
});
