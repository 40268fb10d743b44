import { fieldAt, requiredTextAt, rowOf, textAt, timeAndDelivery, timeAt } from "./field.ts";
import { type Normalised, PayloadProblem, type Source } from "./source.ts";
import { splitType, subjectOf } from "./subject.ts";

type Reader = (data: unknown) => Pick<Normalised, "objectId" | "eventTime" | "deliveryId">;

/** By the word before the colon of a trigger: `run:completed`, `assessment:drifted`. */
const readers: Readonly<Record<string, Reader>> = {
  run(data) {
    const objectId = requiredTextAt(data, "run_id");
    const updatedAt = textAt(data, "notifications[0].run_updated_at");
    const deliveryId = deliveryIdOf(data, objectId, updatedAt);
    return { objectId, ...timeAndDelivery(timeAt(data, "notifications[0].run_updated_at"), deliveryId) };
  },
  assessment(data) {
    const objectId = requiredTextAt(data, "details.workspace_id");
    const deliveryId = deliveryIdOf(data, textAt(data, "details.new_assessment_result.id"));
    const eventTime = timeAt(data, "details.new_assessment_result.created_at");
    return { objectId, ...timeAndDelivery(eventTime, deliveryId) };
  },
  workspace(data) {
    const organization = requiredTextAt(data, "details.organization_name");
    const objectId = `${organization}/${requiredTextAt(data, "details.workspace_name")}`;
    const run = textAt(data, "details.run_external_id", "details.run_created_at", "details.auto_destroy_at");
    const eventTime = timeAt(data, "details.run_created_at");
    return { objectId, ...timeAndDelivery(eventTime, deliveryIdOf(data, objectId, run)) };
  },
  change_request(data) {
    const objectId = requiredTextAt(data, "change_request_url");
    const eventTime = timeAt(data, "change_request_created_at");
    return { objectId, ...timeAndDelivery(eventTime, deliveryIdOf(data, objectId)) };
  },
};

/** HCP Terraform's notifications: version 1 of the payload is about runs, version 2 about workspaces. */
export const terraformCloud: Source = {
  name: "terraform-cloud",
  schemes: ["terraform-cloud"],
  normalise(_webhook, data) {
    const trigger = triggerOf(data);
    if (trigger === undefined) {
      const field = fieldAt(data, "notifications") === undefined ? "trigger" : "notifications[0].trigger";
      throw new PayloadProblem(field, `The payload has no '${field}'.`);
    }
    const { objectType, eventType } = splitType(trigger, "trigger");
    const read = rowOf(readers, objectType) ?? readOther;
    return { subject: subjectOf("tfc", "trigger", trigger), objectType, eventType, ...read(data) };
  },
  /** Sent when a notification is switched on, which fails unless this is answered. */
  handshake: (_webhook, data) =>
    triggerOf(data) === "verification"
      ? { status: 200, headers: { "content-type": "text/plain" }, body: "verified" }
      : undefined,
};

/** A payload lists its notifications, always one so far. That of a change request names no trigger. */
function triggerOf(data: unknown): string | undefined {
  const trigger = textAt(data, "notifications[0].trigger", "trigger");
  const isChangeRequest = fieldAt(data, "change_request_url") !== undefined;
  return trigger ?? (isChangeRequest ? "change_request:created" : undefined);
}

/** A trigger that is newer than this table is about its workspace, wherever the payload has it. */
function readOther(data: unknown): ReturnType<Reader> {
  const objectId = textAt(data, "details.workspace_id", "workspace_id");
  return { objectId: objectId ?? requiredTextAt(data, "notification_configuration_id") };
}

/** Terraform Cloud has no id for a delivery; these together are the same only for the same one. */
function deliveryIdOf(data: unknown, ...parts: readonly (string | undefined)[]): string | undefined {
  const all = [textAt(data, "notification_configuration_id"), triggerOf(data), ...parts];
  const present = all.filter((part) => part !== undefined);
  return present.length === all.length ? present.join("|") : undefined;
}
