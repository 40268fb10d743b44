import type { ActivityHandler } from "durable-functions";
import * as df from "durable-functions";

import { collectItems } from "../../shared/replay/collect.ts";
import { collectActivity } from "../../shared/replay/names.ts";
import { readTask } from "../../shared/replay/read-task.ts";
import { services } from "../../shared/services.ts";

const replayCollect: ActivityHandler = async (input, context) => {
  const all = await services();
  return collectItems(all, all.logTo(context, collectActivity), readTask(input));
};

df.app.activity(collectActivity, { handler: replayCollect });
