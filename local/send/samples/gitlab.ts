import type { Occurrence } from "../occurrence.ts";
import type { Sample, Samples } from "../vendor.ts";

const user = { id: 1, name: "Administrator", username: "root" };
const project = {
  id: 14,
  name: "Gitlab Test",
  web_url: "https://gitlab.example.com/gitlabhq/gitlab-test",
  path_with_namespace: "gitlabhq/gitlab-test",
  default_branch: "main",
};

const attributesOf = (object_kind: string, attributes: (of: Occurrence) => object): Sample => ({
  payload: (of) => ({ object_kind, user, project, object_attributes: attributes(of) }),
});

const issue = (action: string, state: string): Sample =>
  attributesOf("issue", ({ number, at }) => ({
    id: 301 + number,
    iid: number,
    title: "New API: create/update/delete file",
    state,
    action,
    url: `${project.web_url}/-/issues/${number}`,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  }));

const mergeRequest = (action: string, state: string): Sample =>
  attributesOf("merge_request", ({ number, at, digits }) => ({
    id: 99 + number,
    iid: number,
    title: `MS-Viewport ${number}`,
    state,
    action,
    source_branch: "ms-viewport",
    target_branch: "main",
    last_commit: { id: digits.slice(0, 40) },
    url: `${project.web_url}/-/merge_requests/${number}`,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  }));

export const gitlabSamples: Samples = {
  "issue.created": issue("open", "opened"),
  "issue.closed": issue("close", "closed"),
  "merge_request.created": mergeRequest("open", "opened"),
  "merge_request.merged": mergeRequest("merge", "merged"),
  push: {
    payload: ({ digits }) => ({
      object_kind: "push",
      event_name: "push",
      before: digits.slice(24, 64),
      after: digits.slice(0, 40),
      ref: "refs/heads/main",
      user_username: user.username,
      project_id: project.id,
      project,
      commits: [{ id: digits.slice(0, 40), message: "fixed readme" }],
      total_commits_count: 1,
    }),
  },
  "pipeline.failed": attributesOf("pipeline", ({ number, at, digits }) => ({
    id: number,
    ref: "main",
    sha: digits.slice(0, 40),
    status: "failed",
    created_at: at.toISOString(),
    finished_at: at.toISOString(),
  })),
};
