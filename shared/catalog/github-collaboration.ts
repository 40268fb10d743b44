import { repository } from "./github-repository.ts";
import { type CatalogRow, words } from "./rows.ts";
import type { Fields } from "./schema-of.ts";

const pullRequest: Fields = {
  ...repository,
  action: "string",
  "pull_request.number": "integer",
  "pull_request.title": "string",
  "pull_request.state": "string",
  "pull_request.draft": "boolean?",
  "pull_request.merged": "boolean|null?",
  "pull_request.html_url": "string",
  "pull_request.updated_at": "string",
  "pull_request.user.login": "string?",
  "pull_request.head.ref": "string",
  "pull_request.head.sha": "string",
  "pull_request.base.ref": "string",
  "pull_request.labels[].name": "string",
};

const issue: Fields = {
  ...repository,
  action: "string",
  "issue.number": "integer",
  "issue.title": "string",
  "issue.state": "string?",
  "issue.html_url": "string",
  "issue.updated_at": "string",
  "issue.user.login": "string?",
  "issue.labels[].name": "string?",
};

const comment: Fields = {
  "comment.id": "integer",
  "comment.body": "string",
  "comment.html_url": "string",
  "comment.updated_at": "string",
  "comment.user.login": "string?",
};

const edited = ["created", "deleted", "edited"];

/** What people do with pull requests, issues and discussions. */
export const githubCollaboration: readonly CatalogRow[] = [
  {
    event: "pull_request",
    title: "Activity on a pull request",
    actions: words(
      "assigned auto_merge_disabled auto_merge_enabled closed converted_to_draft demilestoned " +
        "dequeued edited enqueued labeled locked milestoned opened ready_for_review reopened " +
        "review_request_removed review_requested synchronize unassigned unlabeled unlocked",
    ),
    fields: pullRequest,
  },
  {
    event: "pull_request_review",
    title: "A review of a pull request",
    actions: ["dismissed", "edited", "submitted"],
    fields: {
      ...repository,
      action: "string",
      "review.id": "integer",
      "review.state": "string",
      "review.submitted_at": "string|null?",
      "pull_request.number": "integer",
    },
  },
  {
    event: "pull_request_review_comment",
    title: "A comment on a pull request's changes",
    actions: edited,
    fields: { ...repository, ...comment, action: "string", "pull_request.number": "integer" },
  },
  {
    event: "pull_request_review_thread",
    title: "A thread of comments on a pull request's changes",
    actions: ["resolved", "unresolved"],
    fields: {
      ...repository,
      action: "string",
      "thread.node_id": "string",
      "pull_request.number": "integer",
    },
  },
  {
    event: "issues",
    title: "Activity on an issue",
    actions: words(
      "assigned closed deleted demilestoned edited labeled locked milestoned opened pinned " +
        "reopened transferred typed unassigned unlabeled unlocked unpinned untyped",
    ),
    fields: issue,
  },
  {
    event: "issue_comment",
    title: "A comment on an issue or a pull request",
    actions: edited,
    fields: { ...issue, ...comment },
  },
  {
    event: "commit_comment",
    title: "A comment on a commit",
    actions: ["created"],
    fields: { ...repository, ...comment, action: "string", "comment.commit_id": "string" },
  },
  {
    event: "discussion",
    title: "Activity on a discussion",
    actions: words(
      "answered category_changed closed created deleted edited labeled locked pinned reopened " +
        "transferred unanswered unlabeled unlocked unpinned",
    ),
    fields: {
      ...repository,
      action: "string",
      "discussion.number": "integer",
      "discussion.title": "string",
      "discussion.updated_at": "string",
    },
  },
  {
    event: "discussion_comment",
    title: "A comment on a discussion",
    actions: edited,
    fields: { ...repository, ...comment, action: "string", "discussion.number": "integer" },
  },
  {
    event: "label",
    title: "A label was created or changed",
    actions: edited,
    fields: { ...repository, action: "string", "label.id": "integer", "label.name": "string" },
  },
  {
    event: "milestone",
    title: "A milestone was created or changed",
    actions: ["closed", "created", "deleted", "edited", "opened"],
    fields: { ...repository, action: "string", "milestone.number": "integer", "milestone.title": "string" },
  },
];
