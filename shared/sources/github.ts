import {
  headerOf,
  requiredHeaderOf,
  requiredTextAt,
  rowOf,
  textAt,
  timeAndDelivery,
  timeAt,
} from "./field.ts";
import type { Source } from "./source.ts";
import { segmentsOf, subjectOf } from "./subject.ts";

interface EventRow {
  /** Where it is not the event's own name. */
  readonly objectType?: string;
  /** Path of the object's number, id or ref; absent where the object is the repository itself. */
  readonly id?: string;
  /** What stands between the repository and that: `#` makes `owner/repo#12`, `@` makes `owner/repo@refs/heads/main`. */
  readonly sign?: "#" | "@";
  readonly times: readonly string[];
}

/**
 * What each event is about, by ids that people know: `owner/repo#12` for what is counted per repository,
 * `owner/repo/check_run/99` for the rest.
 */
const events: Readonly<Record<string, EventRow>> = {
  pull_request: { id: "pull_request.number", sign: "#", times: ["pull_request.updated_at"] },
  pull_request_review: { id: "review.id", times: ["review.submitted_at"] },
  pull_request_review_comment: { id: "comment.id", times: ["comment.updated_at"] },
  pull_request_review_thread: { id: "thread.node_id", times: ["updated_at", "pull_request.updated_at"] },
  issues: { objectType: "issue", id: "issue.number", sign: "#", times: ["issue.updated_at"] },
  issue_comment: { id: "comment.id", times: ["comment.updated_at"] },
  commit_comment: { id: "comment.id", times: ["comment.updated_at"] },
  discussion: { id: "discussion.number", sign: "#", times: ["discussion.updated_at"] },
  discussion_comment: { id: "comment.id", times: ["comment.updated_at"] },
  // The time of a commit is its author's clock; this one is GitHub's.
  push: { id: "ref", sign: "@", times: ["repository.pushed_at"] },
  create: { id: "ref", sign: "@", times: ["repository.pushed_at"] },
  delete: { id: "ref", sign: "@", times: ["repository.pushed_at"] },
  release: { id: "release.id", times: ["release.updated_at", "release.published_at", "release.created_at"] },
  workflow_run: { id: "workflow_run.id", times: ["workflow_run.updated_at"] },
  workflow_job: { id: "workflow_job.id", times: ["workflow_job.completed_at", "workflow_job.started_at"] },
  check_run: { id: "check_run.id", times: ["check_run.completed_at", "check_run.started_at"] },
  check_suite: { id: "check_suite.id", times: ["check_suite.updated_at"] },
  status: { id: "sha", sign: "@", times: ["updated_at"] },
  deployment: { id: "deployment.id", times: ["deployment.updated_at"] },
  deployment_status: { id: "deployment_status.id", times: ["deployment_status.updated_at"] },
  code_scanning_alert: { id: "alert.number", times: ["alert.updated_at", "alert.created_at"] },
  dependabot_alert: { id: "alert.number", times: ["alert.updated_at", "alert.created_at"] },
  secret_scanning_alert: { id: "alert.number", times: ["alert.updated_at", "alert.created_at"] },
  merge_group: { id: "merge_group.head_sha", times: [] },
  label: { id: "label.id", times: [] },
  milestone: { id: "milestone.number", times: ["milestone.updated_at"] },
  repository: { times: ["repository.updated_at"] },
  star: { times: ["starred_at"] },
  ping: { id: "hook_id", times: ["hook.updated_at"] },
};

export const github: Source = {
  name: "github",
  schemes: ["github"],
  normalise(webhook, data) {
    const [event] = segmentsOf(requiredHeaderOf(webhook, "X-GitHub-Event"), "X-GitHub-Event");
    const action = textAt(data, "action");
    const row = rowOf(events, event) ?? guess(data, event);
    const objectType = row.objectType ?? event;
    return {
      subject: subjectOf("github", "action", event, ...(action === undefined ? [] : [action])),
      objectType,
      objectId: objectIdOf(data, objectType, row),
      eventType: action === undefined ? event : segmentsOf(action, "action").join("."),
      ...timeAndDelivery(timeAt(data, ...row.times), headerOf(webhook, "X-GitHub-Delivery")),
    };
  },
};

function objectIdOf(data: unknown, objectType: string, { id, sign }: EventRow): string {
  const scope = scopeOf(data);
  if (id === undefined || sign !== undefined) {
    const repository = scope ?? requiredTextAt(data, "repository.full_name");
    return id === undefined ? repository : `${repository}${sign}${requiredTextAt(data, id)}`;
  }
  return [...(scope === undefined ? [] : [scope]), objectType, requiredTextAt(data, id)].join("/");
}

/** A hook may be of an organization or an app: then there is no repository. */
function scopeOf(data: unknown): string | undefined {
  return textAt(data, "repository.full_name", "organization.login", "enterprise.slug");
}

/** An event that has no row still has its object under its own name, as most of GitHub's do. */
function guess(data: unknown, event: string): EventRow {
  const ids = [`${event}.number`, `${event}.id`, ...(scopeOf(data) === undefined ? ["installation.id"] : [])];
  const id = ids.find((path) => textAt(data, path) !== undefined);
  return { ...(id === undefined ? {} : { id }), times: [`${event}.updated_at`, `${event}.created_at`] };
}
