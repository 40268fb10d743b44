import { type SourceCatalog, words } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

const event: Fields = {
  type: "string",
  event_id: "string",
  event_time: "integer",
  team_id: "string",
  api_app_id: "string",
  "event.type": "string",
  "event.event_ts": "string?",
};

const inChannel: Fields = { ...event, "event.channel": "string" };
const aboutChannel: Fields = { ...event, "event.channel.id": "string" };
const reaction: Fields = {
  ...event,
  "event.reaction": "string",
  "event.user": "string",
  "event.item.type": "string",
};

/** https://docs.slack.dev/reference/events */
export const slack: SourceCatalog = {
  source: "slack",
  prefix: "slack",
  rows: [
    { event: "message", title: "A message was posted", fields: { ...inChannel, "event.ts": "string" } },
    {
      event: "message",
      title: "A message of a special kind, or one that was changed",
      actions: words(
        "bot_message channel_join channel_leave file_share me_message message_changed " +
          "message_deleted thread_broadcast",
      ),
      fields: { ...inChannel, "event.subtype": "string" },
    },
    {
      event: "app_mention",
      title: "Somebody mentioned the app",
      fields: { ...inChannel, "event.text": "string" },
    },
    {
      event: "app_home_opened",
      title: "Somebody opened the app's page",
      fields: { ...event, "event.user": "string" },
    },
    { event: "app_uninstalled", title: "The app was removed", fields: event },
    { event: "tokens_revoked", title: "The app's tokens were revoked", fields: event },
    { event: "reaction_added", title: "A reaction was added", fields: reaction },
    { event: "reaction_removed", title: "A reaction was removed", fields: reaction },
    { event: "channel_created", title: "A channel was created", fields: aboutChannel },
    { event: "channel_rename", title: "A channel was renamed", fields: aboutChannel },
    { event: "channel_archive", title: "A channel was archived", fields: inChannel },
    { event: "channel_unarchive", title: "A channel was taken out of the archive", fields: inChannel },
    { event: "channel_deleted", title: "A channel was deleted", fields: inChannel },
    { event: "member_joined_channel", title: "Somebody joined a channel", fields: inChannel },
    { event: "member_left_channel", title: "Somebody left a channel", fields: inChannel },
    {
      event: "team_join",
      title: "Somebody joined the workspace",
      fields: { ...event, "event.user.id": "string" },
    },
    { event: "user_change", title: "A user's data changed", fields: { ...event, "event.user.id": "string" } },
    { event: "file_shared", title: "A file was shared", fields: { ...event, "event.file_id": "string" } },
    { event: "link_shared", title: "A link to a known domain was posted", fields: inChannel },
    { event: "pin_added", title: "Something was pinned", fields: event },
    { event: "pin_removed", title: "Something was unpinned", fields: event },
    {
      event: "app_rate_limited",
      title: "Slack held events back",
      fields: { api_app_id: "string", type: "string" },
    },
    {
      event: "slash_command",
      title: "Somebody used a command of the app",
      actions: ["*"],
      fields: {
        command: "string",
        text: "string?",
        channel_id: "string",
        user_id: "string",
        team_id: "string",
        trigger_id: "string",
        response_url: "string?",
      },
    },
    {
      event: "interaction",
      title: "Somebody used a button, a menu or a form",
      actions: [
        "block_actions",
        "block_suggestion",
        "message_action",
        "shortcut",
        "view_closed",
        "view_submission",
      ],
      fields: {
        type: "string",
        "user.id": "string",
        trigger_id: "string?",
        "actions[].action_id": "string?",
      },
    },
  ],
};
