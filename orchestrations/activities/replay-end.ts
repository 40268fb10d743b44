import type { ActivityHandler } from "durable-functions";
import * as df from "durable-functions";

import { finishReplay } from "../../shared/replay/end.ts";
import { endActivity } from "../../shared/replay/names.ts";
import { readTask } from "../../shared/replay/read-task.ts";
import { services } from "../../shared/services.ts";

const replayEnd: ActivityHandler = async (input, context) => {
  const all = await services();
  return finishReplay(all, all.logTo(context, endActivity), readTask(input).run);
};

df.app.activity(endActivity, { handler: replayEnd });
