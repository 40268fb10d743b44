import type { OrchestrationHandler } from "durable-functions";
import * as df from "durable-functions";

import { selfCheckActivity, selfCheckOrchestrator } from "../shared/self-check.ts";

/** Goes once round through the task hub: whoever sees its answer knows that orchestrations and activities run. */
export const selfCheck: OrchestrationHandler = function* (context) {
  const input: unknown = context.df.getInput();
  const answer: unknown = yield context.df.callActivity(selfCheckActivity, input);
  return answer;
};

df.app.orchestration(selfCheckOrchestrator, selfCheck);
