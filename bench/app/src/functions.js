const { app } = require("@azure/functions");
const df = require("durable-functions");

df.app.activity("double", { handler: (number) => number * 2 });

/** The unit of the benchmark: two activities, one after the other. */
df.app.orchestration("twoActivities", function* (context) {
  const once = yield context.df.callActivity("double", context.df.getInput().number);
  return yield context.df.callActivity("double", once);
});

/** Grows by four events of history a tick and does nothing else. */
df.app.orchestration("counts", function* (context) {
  for (;;) yield context.df.waitForExternalEvent("tick");
});

app.http("start", {
  route: "start",
  methods: ["POST"],
  extraInputs: [df.input.durableClient()],
  handler: async (request, context) => {
    const client = df.getClient(context);
    const id = await client.startNew("twoActivities", { input: await request.json() });
    return { jsonBody: { id } };
  },
});
