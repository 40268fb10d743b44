import type { Occurrence } from "../occurrence.ts";
import type { Sample, Samples } from "../vendor.ts";

const app = { token: "z26uFbvR1xHJEdHE1OQiO6t8", team_id: "T123ABC456", api_app_id: "A123ABC456" };

/** Slack's way to write a time, which is also the id of a message. */
const ts = ({ at, number }: Occurrence): string =>
  `${Math.floor(at.getTime() / 1000)}.${String(number).padStart(6, "0")}`;

const callback = (event: (of: Occurrence) => object): Sample => ({
  payload: (of) => ({
    ...app,
    type: "event_callback",
    event: { ...event(of), event_ts: ts(of) },
    event_id: `Ev${of.id}`,
    event_time: Math.floor(of.at.getTime() / 1000),
  }),
});

export const slackSamples: Samples = {
  message: callback((of) => ({
    type: "message",
    channel: "C024BE91L",
    user: "U2147483697",
    text: `Order ${of.number} has arrived`,
    ts: ts(of),
  })),
  reaction_added: callback((of) => ({
    type: "reaction_added",
    user: "U123ABC456",
    reaction: "thumbsup",
    item: { type: "message", channel: "C024BE91L", ts: ts(of) },
  })),
  "slash_command.deploy": {
    form: "fields",
    payload: ({ id }) => ({
      ...app,
      channel_id: "C024BE91L",
      user_id: "U2147483697",
      command: "/deploy",
      text: "production",
      response_url: "https://hooks.slack.com/commands/1234/5678",
      trigger_id: `13345224609.${id}`,
    }),
  },
  "interaction.block_actions": {
    form: "payload",
    payload: (of) => ({
      type: "block_actions",
      team: { id: app.team_id },
      user: { id: "U2147483697", team_id: app.team_id },
      container: { type: "message", message_ts: ts(of), channel_id: "C024BE91L" },
      trigger_id: `12321423423.${of.id}`,
      actions: [{ action_id: "approve", type: "button", action_ts: ts(of) }],
    }),
  },
  /** Sent when an address is entered in the app's settings. It is answered, and is no event. */
  url_verification: {
    payload: ({ digits }) => ({
      type: "url_verification",
      token: app.token,
      challenge: digits.slice(0, 52),
    }),
  },
};
