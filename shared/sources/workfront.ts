import { fieldAt, requiredTextAt, rowOf, textAt, timeAndDelivery } from "./field.ts";
import type { Source } from "./source.ts";
import { segmentsOf, subjectOf } from "./subject.ts";

/** Workfront's object codes in the words of its pages; others are taken as they are. */
const objectTypes: Readonly<Record<string, string>> = {
  PROJ: "project",
  TASK: "task",
  OPTASK: "issue",
  PORT: "portfolio",
  PRGM: "program",
  TMPL: "template",
  ASSGN: "assignment",
  CMPY: "company",
  DOCU: "document",
  DOCV: "document_version",
  EXPNS: "expense",
  HOUR: "hour",
  NOTE: "note",
  PRFAPL: "proof_approval",
  PTLSEC: "report",
  PTLTAB: "dashboard",
  STAFFP: "staffing_plan",
  TSHET: "timesheet",
  USER: "user",
};

const eventTypes: Readonly<Record<string, string>> = {
  CREATE: "created",
  UPDATE: "updated",
  DELETE: "deleted",
};

/** Event subscriptions, of either version. */
export const workfront: Source = {
  name: "workfront",
  schemes: ["workfront"],
  normalise(_webhook, data) {
    const verb = requiredTextAt(data, "eventType");
    const eventType = rowOf(eventTypes, verb) ?? segmentsOf(verb, "eventType").join(".");
    // After a deletion the new state is empty.
    const state = verb === "DELETE" && textAt(data, "newState.ID") === undefined ? "oldState" : "newState";
    const objectId = requiredTextAt(data, `${state}.ID`);
    const code = requiredTextAt(data, `${state}.objCode`);
    const objectType = rowOf(objectTypes, code) ?? segmentsOf(code, `${state}.objCode`).join(".");
    const time = eventTimeOf(data);
    return {
      subject: subjectOf("workfront", `${state}.objCode`, objectType, eventType),
      objectType,
      objectId,
      eventType,
      ...timeAndDelivery(time?.date, deliveryIdOf(data, objectId, eventType, time?.text)),
    };
  },
};

function eventTimeOf(data: unknown): { readonly date: Date; readonly text: string } | undefined {
  const seconds = fieldAt(data, "eventTime.epochSecond");
  const nano = fieldAt(data, "eventTime.nano");
  if (typeof seconds !== "number" || !(seconds >= 0 && seconds < 1e11)) return undefined;
  const nanoseconds = typeof nano === "number" && nano >= 0 && nano < 1e9 ? nano : 0;
  const date = new Date(seconds * 1000 + Math.floor(nanoseconds / 1e6));
  return { date, text: `${seconds}.${String(nanoseconds).padStart(9, "0")}` };
}

/**
 * Workfront has no id for a delivery. The subscription, object and time of the change are the same for its retries,
 * and for the copies it sends in two versions of the format after a subscription has changed versions.
 */
function deliveryIdOf(
  data: unknown,
  objectId: string,
  eventType: string,
  time: string | undefined,
): string | undefined {
  const subscription = textAt(data, "subscriptionId");
  if (subscription === undefined || time === undefined) return undefined;
  return [subscription, objectId, eventType, time].join("|");
}
