import { fieldAt, requiredTextAt, textAt, timeAndDelivery, timeAt } from "./field.ts";
import type { Normalised, Source } from "./source.ts";
import { segmentsOf, subjectOf } from "./subject.ts";

/** Slack's three kinds of request: events, slash commands, and what people do with buttons and forms. */
export const slack: Source = {
  name: "slack",
  schemes: ["slack"],
  normalise(_webhook, data) {
    if (textAt(data, "command") !== undefined) return normaliseCommand(data);
    const type = requiredTextAt(data, "type");
    if (type === "event_callback") return normaliseEvent(data);
    if (type === "app_rate_limited") return normaliseRateLimit(data);
    return normaliseInteraction(data, type);
  },
  /** Sent when an address is entered in the app's settings; the challenge has to come back. */
  handshake(_webhook, data) {
    const challenge = fieldAt(data, "challenge");
    return textAt(data, "type") === "url_verification" && typeof challenge === "string"
      ? { status: 200, headers: { "content-type": "text/plain" }, body: challenge }
      : undefined;
  },
};

function normaliseEvent(data: unknown): Normalised {
  const objectType = segmentsOf(requiredTextAt(data, "event.type"), "event.type").join(".");
  const subtype = textAt(data, "event.subtype");
  return {
    subject: subjectOf("slack", "event.type", objectType, ...(subtype === undefined ? [] : [subtype])),
    objectType,
    objectId: eventObjectId(data),
    eventType: subtype === undefined ? objectType : segmentsOf(subtype, "event.subtype").join("."),
    ...timeAndDelivery(timeAt(data, "event.event_ts", "event_time"), requiredTextAt(data, "event_id")),
  };
}

/** A message is known by its channel and time, also where it was edited, deleted or reacted to. */
function eventObjectId(data: unknown): string {
  const channel = textAt(data, "event.item.channel", "event.channel", "event.channel.id");
  const ts = textAt(data, "event.item.ts", "event.message.ts", "event.deleted_ts", "event.ts");
  if (channel !== undefined) return ts === undefined ? channel : `${channel}/${ts}`;
  const others = ["event.file_id", "event.user", "event.user.id", "event.team_id"];
  return textAt(data, ...others) ?? requiredTextAt(data, "team_id");
}

function normaliseRateLimit(data: unknown): Normalised {
  return {
    subject: subjectOf("slack", "type", "app_rate_limited"),
    objectType: "app",
    objectId: requiredTextAt(data, "api_app_id"),
    eventType: "app_rate_limited",
  };
}

function normaliseCommand(data: unknown): Normalised {
  const command = requiredTextAt(data, "command").replace(/^\//, "");
  return {
    subject: subjectOf("slack", "command", "slash_command", command),
    objectType: "slash_command",
    objectId: requiredTextAt(data, "channel_id"),
    eventType: segmentsOf(command, "command").join("."),
    deliveryId: requiredTextAt(data, "trigger_id"),
  };
}

function normaliseInteraction(data: unknown, type: string): Normalised {
  const eventTime = timeAt(data, "actions[0].action_ts", "action_ts");
  const places = ["view.id", "container.message_ts", "message.ts", "callback_id", "user.id"];
  return {
    subject: subjectOf("slack", "type", "interaction", type),
    objectType: "interaction",
    objectId: textAt(data, ...places) ?? requiredTextAt(data, "team.id"),
    eventType: segmentsOf(type, "type").join("."),
    // Not every kind has one: the form a person closes does not.
    ...timeAndDelivery(eventTime, textAt(data, "trigger_id")),
  };
}
