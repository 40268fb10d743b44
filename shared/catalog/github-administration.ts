import { repository } from "./github-repository.ts";
import { type CatalogRow, words } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

/** What happens to repositories, members and apps, and alerts about them. */
export const githubAdministration: readonly CatalogRow[] = [
  {
    event: "repository",
    title: "A repository was created or changed",
    actions: words("archived created deleted edited privatized publicized renamed transferred unarchived"),
    fields: { ...repository, action: "string" },
  },
  {
    event: "member",
    title: "A collaborator was added or changed",
    actions: ["added", "edited", "removed"],
    fields: { ...repository, action: "string", "member.login": "string" },
  },
  {
    event: "organization",
    title: "An organization or its members changed",
    actions: ["deleted", "member_added", "member_invited", "member_removed", "renamed"],
    fields: { action: "string", "organization.login": "string" },
  },
  {
    event: "team",
    title: "A team was created or changed",
    actions: ["added_to_repository", "created", "deleted", "edited", "removed_from_repository"],
    fields: { action: "string", "team.id": "integer", "team.slug": "string" },
  },
  {
    event: "installation",
    title: "An app was installed or its permissions changed",
    actions: ["created", "deleted", "new_permissions_accepted", "suspend", "unsuspend"],
    fields: { action: "string", "installation.id": "integer", "installation.account.login": "string?" },
  },
  {
    event: "installation_repositories",
    title: "An app's repositories changed",
    actions: ["added", "removed"],
    fields: { action: "string", "installation.id": "integer" },
  },
  alertRow("code_scanning_alert", "An alert of code scanning", [
    "appeared_in_branch",
    "closed_by_user",
    "created",
    "fixed",
    "reopened",
    "reopened_by_user",
  ]),
  alertRow(
    "dependabot_alert",
    "An alert of Dependabot",
    words("auto_dismissed auto_reopened created dismissed fixed reintroduced reopened"),
  ),
  alertRow("secret_scanning_alert", "An alert of secret scanning", ["created", "reopened", "resolved"]),
  {
    event: "fork",
    title: "The repository was forked",
    fields: { ...repository, "forkee.full_name": "string" },
  },
  {
    event: "star",
    title: "A star was given or taken back",
    actions: ["created", "deleted"],
    fields: repository,
  },
  { event: "watch", title: "A star was given", actions: ["started"], fields: repository },
  { event: "public", title: "The repository became public", fields: repository },
  {
    event: "ping",
    title: "The webhook was created",
    fields: { hook_id: "integer", zen: "string?", "hook.type": "string?" },
  },
];

function alertRow(event: string, title: string, actions: readonly string[]): CatalogRow {
  const fields: Fields = {
    ...repository,
    action: "string",
    "alert.number": "integer",
    "alert.html_url": "string?",
  };
  return { event, title, actions, fields };
}
