import type { Sample, Samples } from "../vendor.ts";

const event = (eventType: "CREATE" | "UPDATE" | "DELETE", objCode: string): Sample => ({
  payload: ({ digits, at, number }) => {
    const thing = { ID: digits.slice(0, 32), objCode, ownerID: "544820df0000142362741fc0c368de19" };
    const seconds = Math.floor(at.getTime() / 1000);
    return {
      eventType,
      subscriptionId: "8a0d839d5ef32c9a015ef336a5ed0002",
      eventTime: { epochSecond: seconds, nano: (at.getTime() % 1000) * 1_000_000 },
      eventVersion: "v2",
      subscriptionVersion: "v2",
      newState: eventType === "DELETE" ? {} : { ...thing, name: `Launch ${number}`, status: "CUR" },
      oldState: eventType === "CREATE" ? {} : { ...thing, name: `Launch ${number}`, status: "PLN" },
    };
  },
});

export const workfrontSamples: Samples = {
  "project.updated": event("UPDATE", "PROJ"),
  "project.created": event("CREATE", "PROJ"),
  "project.deleted": event("DELETE", "PROJ"),
  "task.updated": event("UPDATE", "TASK"),
  "issue.created": event("CREATE", "OPTASK"),
};
