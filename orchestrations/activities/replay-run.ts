import type { ActivityHandler } from "durable-functions";
import * as df from "durable-functions";

import { runChunk } from "../../shared/replay/run-chunk.ts";
import { runActivity } from "../../shared/replay/names.ts";
import { readTask } from "../../shared/replay/read-task.ts";
import { services } from "../../shared/services.ts";

const replayRun: ActivityHandler = async (input, context) => {
  const all = await services();
  return runChunk(all, all.logTo(context, runActivity), readTask(input));
};

df.app.activity(runActivity, { handler: replayRun });
