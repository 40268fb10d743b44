import { type SourceCatalog, words } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

const project: Fields = {
  object_kind: "string",
  "project.id": "integer",
  "project.path_with_namespace": "string",
  "project.web_url": "string?",
};

const numbered: Fields = {
  object_kind: "string",
  "project.path_with_namespace": "string?",
  "object_attributes.id": "integer",
  "object_attributes.iid": "integer",
  "object_attributes.title": "string",
  "object_attributes.state": "string?",
  "object_attributes.action": "string?",
  "object_attributes.updated_at": "string?",
  "object_attributes.url": "string?",
  "user.username": "string?",
  "labels[].title": "string",
};

const push: Fields = {
  ...project,
  ref: "string",
  before: "string",
  after: "string",
  checkout_sha: "string|null?",
  user_username: "string?",
  "commits[].id": "string",
  "commits[].message": "string",
  total_commits_count: "integer?",
};

const states = ["created", "updated", "closed", "reopened"];

/** https://docs.gitlab.com/user/project/integrations/webhook_events */
export const gitlab: SourceCatalog = {
  source: "gitlab",
  prefix: "gitlab",
  rows: [
    { event: "issue", title: "An issue was created or changed", actions: states, fields: numbered },
    { event: "work_item", title: "A work item was created or changed", actions: states, fields: numbered },
    {
      event: "merge_request",
      title: "A merge request was created or changed",
      actions: [...states, "merged", "approved", "unapproved", "approval_added", "approval_removed"],
      fields: {
        ...numbered,
        "project.path_with_namespace": "string",
        "object_attributes.source_branch": "string",
        "object_attributes.target_branch": "string",
        "object_attributes.draft": "boolean?",
      },
    },
    { event: "push", title: "Commits pushed to a branch", fields: push },
    { event: "tag_push", title: "A tag was created or deleted", fields: push },
    {
      event: "note",
      title: "A comment",
      actions: ["created", "updated"],
      fields: {
        ...project,
        "object_attributes.id": "integer",
        "object_attributes.note": "string",
        "object_attributes.noteable_type": "string",
        "user.username": "string?",
      },
    },
    {
      event: "pipeline",
      title: "A pipeline's status changed",
      actions: words(
        "created waiting_for_resource preparing pending running success failed canceling canceled " +
          "skipped manual scheduled",
      ),
      fields: {
        ...project,
        "object_attributes.id": "integer",
        "object_attributes.ref": "string",
        "object_attributes.sha": "string",
        "object_attributes.status": "string",
        "builds[].name": "string",
      },
    },
    {
      event: "job",
      title: "A job's status changed",
      actions: words("created pending running success failed canceled skipped manual"),
      fields: {
        object_kind: "string",
        build_id: "integer",
        build_name: "string",
        build_status: "string",
        pipeline_id: "integer?",
        project_id: "integer",
      },
    },
    {
      event: "deployment",
      title: "A deployment's status changed",
      actions: ["created", "running", "success", "failed", "canceled", "blocked"],
      fields: { ...project, status: "string", deployment_id: "integer", environment: "string" },
    },
    {
      event: "release",
      title: "A release was created or changed",
      actions: ["created", "updated", "deleted"],
      fields: { ...project, tag: "string", name: "string?", action: "string?" },
    },
    {
      event: "milestone",
      title: "A milestone was created or changed",
      actions: [...states, "deleted"],
      fields: { ...project, "object_attributes.iid": "integer", "object_attributes.title": "string" },
    },
    {
      event: "wiki_page",
      title: "A wiki page was created or changed",
      actions: ["created", "updated", "deleted"],
      fields: { ...project, "object_attributes.slug": "string", "object_attributes.title": "string" },
    },
    {
      event: "emoji",
      title: "An emoji reaction",
      actions: ["awarded", "revoked"],
      fields: { ...project, "object_attributes.id": "integer", "object_attributes.name": "string" },
    },
    {
      event: "feature_flag",
      title: "A feature flag was switched",
      fields: { ...project, "object_attributes.name": "string", "object_attributes.active": "boolean" },
    },
  ],
};
