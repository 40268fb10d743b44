import * as df from "durable-functions";

import { selfCheckActivity } from "../../shared/self-check.ts";

df.app.activity(selfCheckActivity, { handler: (input: unknown) => input });
