import type { ActivityHandler } from "durable-functions";
import * as df from "durable-functions";

import { takeItems } from "../../shared/replay/take.ts";
import { takeActivity } from "../../shared/replay/names.ts";
import { readTask } from "../../shared/replay/read-task.ts";
import { services } from "../../shared/services.ts";

const replayTake: ActivityHandler = async (input, context) => {
  const all = await services();
  return takeItems(all, all.logTo(context, takeActivity), readTask(input));
};

df.app.activity(takeActivity, { handler: replayTake });
