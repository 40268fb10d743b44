import type { Sample, Samples } from "./sample.ts";

const project = {
  id: 14,
  name: "Gitlab Test",
  web_url: "http://example.com/gitlabhq/gitlab-test",
  path_with_namespace: "gitlabhq/gitlab-test",
  default_branch: "main",
};
const user = { id: 1, name: "Administrator", username: "root" };

const issue = {
  id: 301,
  iid: 23,
  title: "New API: create/update/delete file",
  state: "opened",
  url: "http://example.com/gitlabhq/gitlab-test/issues/23",
  created_at: "2025-11-18T10:00:00Z",
  updated_at: "2025-11-18T10:00:00Z",
};

const mergeRequest = {
  id: 99,
  iid: 7,
  title: "MS-Viewport",
  state: "merged",
  source_branch: "ms-viewport",
  target_branch: "main",
  draft: false,
  created_at: "2025-11-18T11:00:00Z",
  // Some of GitLab's hooks write times like this.
  updated_at: "2025-11-18 11:30:00 UTC",
};

export const gitlabSamples: Samples = (delivery) => {
  const sample = (
    hook: string,
    about: Omit<Sample, "headers" | "deliveryId" | "payload">,
    payload: Readonly<Record<string, unknown>>,
  ): Sample => ({
    ...about,
    deliveryId: delivery,
    headers: {
      "X-Gitlab-Event": hook,
      "X-Gitlab-Event-UUID": "13792a34-cac6-4fda-95a8-c58e00a3954e",
      "X-Gitlab-Webhook-UUID": "bb8d6b2c-5b3c-4b62-8fd0-1a1d7e3d7a54",
      "Idempotency-Key": delivery,
    },
    payload,
  });
  const issueWith = (action: string, eventType: string): Sample =>
    sample(
      "Issue Hook",
      {
        subject: `gitlab.events.issue.${eventType}`,
        objectType: "issue",
        objectId: "gitlabhq/gitlab-test#23",
        eventType,
        eventTime: "2025-11-18T10:00:00.000Z",
      },
      {
        object_kind: "issue",
        event_type: "issue",
        user,
        project,
        object_attributes: { ...issue, action },
        labels: [{ id: 206, title: "API" }],
      },
    );
  return [
    issueWith("open", "created"),
    issueWith("update", "updated"),
    issueWith("close", "closed"),
    issueWith("reopen", "reopened"),
    sample(
      "Merge Request Hook",
      {
        subject: "gitlab.events.merge_request.merged",
        objectType: "merge_request",
        objectId: "gitlabhq/gitlab-test!7",
        eventType: "merged",
        eventTime: "2025-11-18T11:30:00.000Z",
      },
      {
        object_kind: "merge_request",
        user,
        project,
        object_attributes: { ...mergeRequest, action: "merge" },
        labels: [],
      },
    ),
    sample(
      "Push Hook",
      {
        subject: "gitlab.events.push",
        objectType: "push",
        objectId: "gitlabhq/gitlab-test@refs/heads/main",
        eventType: "push",
      },
      {
        object_kind: "push",
        event_name: "push",
        before: "95790bf891e76fee5e1747ab589903a6a1f80f22",
        after: "da1560886d4f094c3e6c9ef40349f7d38b5d27d7",
        ref: "refs/heads/main",
        checkout_sha: "da1560886d4f094c3e6c9ef40349f7d38b5d27d7",
        user_username: "jsmith",
        project_id: 14,
        project,
        commits: [{ id: "da1560886d4f094c3e6c9ef40349f7d38b5d27d7", message: "fixed readme" }],
        total_commits_count: 1,
      },
    ),
    sample(
      "Tag Push Hook",
      {
        subject: "gitlab.events.tag_push",
        objectType: "tag_push",
        objectId: "gitlabhq/gitlab-test@refs/tags/v1.0.0",
        eventType: "tag_push",
      },
      {
        object_kind: "tag_push",
        before: "0000000000000000000000000000000000000000",
        after: "82b3d5ae55f7080f1e6022629cdb57bfae7cccc7",
        ref: "refs/tags/v1.0.0",
        project,
        commits: [],
      },
    ),
    sample(
      "Pipeline Hook",
      {
        subject: "gitlab.events.pipeline.success",
        objectType: "pipeline",
        objectId: "gitlabhq/gitlab-test/pipeline/31",
        eventType: "success",
        eventTime: "2025-11-18T12:00:00.000Z",
      },
      {
        object_kind: "pipeline",
        object_attributes: {
          id: 31,
          ref: "main",
          sha: "bcbb5ec396a2c0f828686f14fac9b80b780504f2",
          status: "success",
          created_at: "2025-11-18 11:50:00 UTC",
          finished_at: "2025-11-18 12:00:00 UTC",
        },
        project,
        builds: [{ id: 380, name: "production" }],
      },
    ),
    sample(
      "Job Hook",
      {
        subject: "gitlab.events.job.failed",
        objectType: "job",
        objectId: "380/job/1977",
        eventType: "failed",
        eventTime: "2025-11-18T12:10:00.000Z",
      },
      {
        object_kind: "build",
        build_id: 1977,
        build_name: "test",
        build_status: "failed",
        build_started_at: "2025-11-18 12:10:00 UTC",
        build_finished_at: null,
        project_id: 380,
      },
    ),
    sample(
      "Note Hook",
      {
        subject: "gitlab.events.note.created",
        objectType: "note",
        objectId: "gitlabhq/gitlab-test/note/1244",
        eventType: "created",
        eventTime: "2025-11-18T13:00:00.000Z",
      },
      {
        object_kind: "note",
        user,
        project,
        object_attributes: {
          id: 1244,
          note: "This MR needs work.",
          noteable_type: "MergeRequest",
          action: "create",
          updated_at: "2025-11-18T13:00:00Z",
        },
      },
    ),
  ];
};
