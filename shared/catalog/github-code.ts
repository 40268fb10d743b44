import { repository } from "./github-repository.ts";
import { type CatalogRow, words } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

const ref: Fields = { ...repository, ref: "string" };

/** What happens to code: pushes, checks, workflows, releases. */
export const githubCode: readonly CatalogRow[] = [
  {
    event: "push",
    title: "Commits pushed to a branch or tag",
    fields: {
      ...ref,
      before: "string",
      after: "string",
      created: "boolean?",
      deleted: "boolean?",
      forced: "boolean?",
      "commits[].id": "string",
      "commits[].message": "string",
      "pusher.name": "string?",
    },
  },
  { event: "create", title: "A branch or tag was created", fields: { ...ref, ref_type: "string" } },
  { event: "delete", title: "A branch or tag was deleted", fields: { ...ref, ref_type: "string" } },
  {
    event: "release",
    title: "Activity on a release",
    actions: words("created deleted edited prereleased published released unpublished"),
    fields: {
      ...repository,
      action: "string",
      "release.id": "integer",
      "release.tag_name": "string",
      "release.name": "string|null?",
      "release.draft": "boolean",
      "release.prerelease": "boolean",
      "release.html_url": "string",
    },
  },
  {
    event: "workflow_run",
    title: "A run of an Actions workflow",
    actions: ["completed", "in_progress", "requested"],
    fields: {
      ...repository,
      action: "string",
      "workflow_run.id": "integer",
      "workflow_run.name": "string|null?",
      "workflow_run.status": "string",
      "workflow_run.conclusion": "string|null",
      "workflow_run.head_branch": "string|null",
      "workflow_run.head_sha": "string",
      "workflow_run.html_url": "string",
      "workflow_run.updated_at": "string",
    },
  },
  {
    event: "workflow_job",
    title: "A job of an Actions workflow",
    actions: ["completed", "in_progress", "queued", "waiting"],
    fields: {
      ...repository,
      action: "string",
      "workflow_job.id": "integer",
      "workflow_job.run_id": "integer",
      "workflow_job.name": "string",
      "workflow_job.status": "string",
      "workflow_job.conclusion": "string|null",
    },
  },
  {
    event: "workflow_dispatch",
    title: "A workflow was started by hand",
    fields: { ...ref, workflow: "string", inputs: "object|null?" },
  },
  {
    event: "repository_dispatch",
    title: "An event somebody sent through GitHub's API; its type is the action",
    actions: ["*"],
    fields: { ...repository, action: "string", branch: "string?", client_payload: "object|null?" },
  },
  {
    event: "check_run",
    title: "One check of a commit",
    actions: ["completed", "created", "requested_action", "rerequested"],
    fields: {
      ...repository,
      action: "string",
      "check_run.id": "integer",
      "check_run.name": "string",
      "check_run.status": "string",
      "check_run.conclusion": "string|null",
      "check_run.head_sha": "string",
    },
  },
  {
    event: "check_suite",
    title: "All checks of a commit by one app",
    actions: ["completed", "requested", "rerequested"],
    fields: {
      ...repository,
      action: "string",
      "check_suite.id": "integer",
      "check_suite.status": "string|null",
      "check_suite.conclusion": "string|null",
      "check_suite.head_sha": "string",
    },
  },
  {
    event: "status",
    title: "The status of a commit changed",
    fields: { ...repository, sha: "string", state: "string", context: "string", updated_at: "string" },
  },
  {
    event: "deployment",
    title: "A deployment was asked for",
    actions: ["created"],
    fields: {
      ...repository,
      action: "string",
      "deployment.id": "integer",
      "deployment.environment": "string",
      "deployment.ref": "string",
      "deployment.sha": "string",
    },
  },
  {
    event: "deployment_status",
    title: "A deployment got a status",
    actions: ["created"],
    fields: {
      ...repository,
      action: "string",
      "deployment.id": "integer",
      "deployment_status.id": "integer",
      "deployment_status.state": "string",
      "deployment_status.environment": "string?",
    },
  },
  {
    event: "merge_group",
    title: "A group in the merge queue",
    actions: ["checks_requested", "destroyed"],
    fields: { ...repository, action: "string", "merge_group.head_sha": "string" },
  },
];
