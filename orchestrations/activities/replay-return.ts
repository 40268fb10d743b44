import type { ActivityHandler } from "durable-functions";
import * as df from "durable-functions";

import { giveItemsBack } from "../../shared/replay/give-back.ts";
import { returnActivity } from "../../shared/replay/names.ts";
import { readTask } from "../../shared/replay/read-task.ts";
import { services } from "../../shared/services.ts";

const replayReturn: ActivityHandler = async (input, context) => {
  const all = await services();
  return giveItemsBack(all, all.logTo(context, returnActivity), readTask(input));
};

df.app.activity(returnActivity, { handler: replayReturn });
