import type { Sample, Samples } from "./sample.ts";

const states = {
  before: { name: "EventSub Test", status: "PLN", lastUpdateDate: "2025-11-18T09:00:00.000-0600" },
  after: { name: "EventSub Test updated", status: "CUR", lastUpdateDate: "2025-11-18T09:30:00.000-0600" },
};

export const workfrontSamples: Samples = (delivery) => {
  const event = (verb: string, objCode: string, objectType: string, eventType: string): Sample => {
    const thing = { ID: `59d7ddf7${delivery}`, objCode, ownerID: "544820df0000142362741fc0c368de19" };
    return {
      subject: `workfront.events.${objectType}.${eventType}`,
      objectType,
      objectId: thing.ID,
      eventType,
      eventTime: "2025-11-18T10:00:00.998Z",
      deliveryId: `8a0d839d5ef32c9a015ef336a5ed0002|${thing.ID}|${eventType}|1763460000.998000000`,
      headers: {},
      payload: {
        eventType: verb,
        subscriptionId: "8a0d839d5ef32c9a015ef336a5ed0002",
        eventTime: { nano: 998000000, epochSecond: 1763460000 },
        eventVersion: "v2",
        subscriptionVersion: "v2",
        newState: verb === "DELETE" ? {} : { ...thing, ...states.after },
        oldState: verb === "CREATE" ? {} : { ...thing, ...states.before },
      },
    };
  };
  return [
    event("UPDATE", "PROJ", "project", "updated"),
    event("CREATE", "PROJ", "project", "created"),
    event("DELETE", "PROJ", "project", "deleted"),
    event("UPDATE", "TASK", "task", "updated"),
    event("CREATE", "OPTASK", "issue", "created"),
  ];
};
