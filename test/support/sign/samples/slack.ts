import type { Sample, Samples } from "./sample.ts";

const app = { token: "z26uFbvR1xHJEdHE1OQiO6t8", team_id: "T123ABC456", api_app_id: "A123ABC456" };

/** Not an event: what Slack sends to an address that is entered in an app's settings. */
export const slackChallenge = {
  token: app.token,
  challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
  type: "url_verification",
};

export const slackSamples: Samples = (delivery) => {
  const callback = (
    event: Readonly<Record<string, unknown>>,
    about: Pick<Sample, "subject" | "objectType" | "objectId" | "eventType">,
  ): Sample => ({
    ...about,
    eventTime: "2025-11-18T10:00:00.083Z",
    deliveryId: `Ev${delivery}`,
    headers: {},
    payload: {
      ...app,
      type: "event_callback",
      event: { ...event, event_ts: "1763460000.083113" },
      event_id: `Ev${delivery}`,
      event_time: 1763460000,
    },
  });
  return [
    callback(
      {
        type: "message",
        channel: "C024BE91L",
        user: "U2147483697",
        text: "Live long",
        ts: "1763460000.000200",
      },
      {
        subject: "slack.events.message",
        objectType: "message",
        objectId: "C024BE91L/1763460000.000200",
        eventType: "message",
      },
    ),
    callback(
      {
        type: "message",
        subtype: "message_changed",
        channel: "C024BE91L",
        message: { type: "message", user: "U2147483697", text: "Live longer", ts: "1763460000.000200" },
        ts: "1763460010.000300",
      },
      {
        subject: "slack.events.message.message_changed",
        objectType: "message",
        objectId: "C024BE91L/1763460000.000200",
        eventType: "message_changed",
      },
    ),
    callback(
      {
        type: "reaction_added",
        user: "U123ABC456",
        reaction: "thumbsup",
        item: { type: "message", channel: "C123ABC456", ts: "1464196127.000002" },
      },
      {
        subject: "slack.events.reaction_added",
        objectType: "reaction_added",
        objectId: "C123ABC456/1464196127.000002",
        eventType: "reaction_added",
      },
    ),
    callback(
      { type: "channel_created", channel: { id: "C024BE91L", name: "fun", created: 1360782804 } },
      {
        subject: "slack.events.channel_created",
        objectType: "channel_created",
        objectId: "C024BE91L",
        eventType: "channel_created",
      },
    ),
    callback(
      { type: "team_join", user: { id: "U7", name: "spengler" } },
      { subject: "slack.events.team_join", objectType: "team_join", objectId: "U7", eventType: "team_join" },
    ),
    {
      subject: "slack.events.slash_command.weather",
      objectType: "slash_command",
      objectId: "C2147483705",
      eventType: "weather",
      deliveryId: `13345224609.${delivery}`,
      headers: {},
      sentAs: "form",
      payload: {
        ...app,
        channel_id: "C2147483705",
        user_id: "U2147483697",
        command: "/weather",
        text: "94070",
        response_url: "https://hooks.slack.com/commands/1234/5678",
        trigger_id: `13345224609.${delivery}`,
      },
    },
    {
      subject: "slack.events.interaction.block_actions",
      objectType: "interaction",
      objectId: "1548261231.000200",
      eventType: "block_actions",
      eventTime: "2025-11-18T10:00:00.250Z",
      deliveryId: `12321423423.${delivery}`,
      headers: {},
      sentAs: "form-payload",
      payload: {
        type: "block_actions",
        team: { id: "T9TK3CUKW" },
        user: { id: "UA8RXUSPL", team_id: "T9TK3CUKW" },
        container: { type: "message", message_ts: "1548261231.000200", channel_id: "CBR2V3XEX" },
        trigger_id: `12321423423.${delivery}`,
        actions: [{ action_id: "approve", type: "button", action_ts: "1763460000.25" }],
      },
    },
  ];
};
