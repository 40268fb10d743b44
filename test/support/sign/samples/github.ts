import type { Sample, Samples } from "./sample.ts";

const repository = {
  id: 1296269,
  node_id: "R_kgDOABPHjQ",
  name: "hello-world",
  full_name: "octo-org/hello-world",
  private: false,
  owner: { login: "octo-org", id: 583231, type: "Organization" },
  html_url: "https://github.com/octo-org/hello-world",
  default_branch: "main",
  pushed_at: 1763460000,
  updated_at: "2025-11-18T09:00:00Z",
};
const sender = { login: "octocat", id: 1, type: "User" };
const common = { repository, sender };

const pullRequest = {
  id: 279147437,
  node_id: "PR_kwDOABPHjc4Qo1tt",
  number: 12,
  state: "open",
  title: "Update the README with new information",
  html_url: "https://github.com/octo-org/hello-world/pull/12",
  draft: false,
  merged: false,
  user: sender,
  labels: [{ id: 1, name: "documentation", color: "0075ca" }],
  created_at: "2025-11-18T10:00:00Z",
  updated_at: "2025-11-18T10:05:00Z",
  head: { ref: "changes", sha: "ec26c3e57ca3a959ca5aad62de7213c562f8c821" },
  base: { ref: "main", sha: "f95f852bd8fca8fcc58a9a2d6c842781e32a215e" },
};

const issue = {
  id: 444500041,
  number: 7,
  title: "Spelling error in the README file",
  state: "open",
  html_url: "https://github.com/octo-org/hello-world/issues/7",
  user: sender,
  labels: [{ id: 2, name: "bug" }],
  created_at: "2025-11-18T11:00:00Z",
  updated_at: "2025-11-18T11:30:00Z",
};

export const githubSamples: Samples = (delivery) => {
  const sample = (
    event: string,
    about: Omit<Sample, "headers" | "deliveryId" | "payload">,
    payload: Readonly<Record<string, unknown>>,
  ): Sample => ({
    ...about,
    deliveryId: delivery,
    headers: {
      "User-Agent": "GitHub-Hookshot/044aadd",
      "X-GitHub-Delivery": delivery,
      "X-GitHub-Event": event,
      "X-GitHub-Hook-ID": "292430182",
    },
    payload,
  });
  const pullRequestSample = (action: string): Sample =>
    sample(
      "pull_request",
      {
        subject: `github.events.pull_request.${action}`,
        objectType: "pull_request",
        objectId: "octo-org/hello-world#12",
        eventType: action,
        eventTime: "2025-11-18T10:05:00.000Z",
      },
      { action, number: 12, pull_request: pullRequest, ...common },
    );
  return [
    pullRequestSample("opened"),
    pullRequestSample("closed"),
    pullRequestSample("synchronize"),
    sample(
      "issues",
      {
        subject: "github.events.issues.labeled",
        objectType: "issue",
        objectId: "octo-org/hello-world#7",
        eventType: "labeled",
        eventTime: "2025-11-18T11:30:00.000Z",
      },
      { action: "labeled", issue, label: { id: 2, name: "bug" }, ...common },
    ),
    sample(
      "issue_comment",
      {
        subject: "github.events.issue_comment.created",
        objectType: "issue_comment",
        objectId: "octo-org/hello-world/issue_comment/99262140",
        eventType: "created",
        eventTime: "2025-11-18T12:00:00.000Z",
      },
      {
        action: "created",
        issue,
        comment: {
          id: 99262140,
          body: "You are totally right! I'll get this fixed right away.",
          html_url: "https://github.com/octo-org/hello-world/issues/7#issuecomment-99262140",
          user: sender,
          created_at: "2025-11-18T12:00:00Z",
          updated_at: "2025-11-18T12:00:00Z",
        },
        ...common,
      },
    ),
    sample(
      "push",
      {
        subject: "github.events.push",
        objectType: "push",
        objectId: "octo-org/hello-world@refs/heads/main",
        eventType: "push",
        eventTime: "2025-11-18T10:00:00.000Z",
      },
      {
        ref: "refs/heads/main",
        before: "6113728f27ae82c7b1a177c8d03f9e96e0adf246",
        after: "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c",
        created: false,
        deleted: false,
        forced: false,
        commits: [{ id: "0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c", message: "Update README.md" }],
        pusher: { name: "octocat", email: "octocat@github.com" },
        ...common,
      },
    ),
    sample(
      "release",
      {
        subject: "github.events.release.published",
        objectType: "release",
        objectId: "octo-org/hello-world/release/11248810",
        eventType: "published",
        eventTime: "2025-11-18T13:00:00.000Z",
      },
      {
        action: "published",
        release: {
          id: 11248810,
          tag_name: "v1.0.0",
          name: null,
          draft: false,
          prerelease: false,
          html_url: "https://github.com/octo-org/hello-world/releases/tag/v1.0.0",
          created_at: "2025-11-18T12:59:00Z",
          published_at: "2025-11-18T13:00:00Z",
        },
        ...common,
      },
    ),
    sample(
      "workflow_run",
      {
        subject: "github.events.workflow_run.completed",
        objectType: "workflow_run",
        objectId: "octo-org/hello-world/workflow_run/30433642",
        eventType: "completed",
        eventTime: "2025-11-18T14:00:00.000Z",
      },
      {
        action: "completed",
        workflow_run: {
          id: 30433642,
          name: "CI",
          status: "completed",
          conclusion: "success",
          head_branch: "main",
          head_sha: "acb5820ced9479c074f688cc328bf03f341a511d",
          html_url: "https://github.com/octo-org/hello-world/actions/runs/30433642",
          updated_at: "2025-11-18T14:00:00Z",
        },
        ...common,
      },
    ),
    sample(
      "check_run",
      {
        subject: "github.events.check_run.created",
        objectType: "check_run",
        objectId: "octo-org/hello-world/check_run/128620228",
        eventType: "created",
        eventTime: "2025-11-18T15:00:00.000Z",
      },
      {
        action: "created",
        check_run: {
          id: 128620228,
          name: "lint",
          status: "queued",
          conclusion: null,
          head_sha: "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
          started_at: "2025-11-18T15:00:00Z",
          completed_at: null,
        },
        ...common,
      },
    ),
    sample(
      "installation",
      {
        subject: "github.events.installation.created",
        objectType: "installation",
        objectId: "installation/2",
        eventType: "created",
        eventTime: "2025-11-18T16:00:00.000Z",
      },
      {
        action: "created",
        installation: { id: 2, account: { login: "octocat" }, updated_at: "2025-11-18T16:00:00Z" },
        sender,
      },
    ),
    {
      ...sample(
        "ping",
        {
          subject: "github.events.ping",
          objectType: "ping",
          objectId: "octo-org/hello-world/ping/292430182",
          eventType: "ping",
          eventTime: "2025-11-18T17:00:00.000Z",
        },
        {
          zen: "Design for failure.",
          hook_id: 292430182,
          hook: { type: "Repository", id: 292430182, active: true, updated_at: "2025-11-18T17:00:00Z" },
          ...common,
        },
      ),
      sentAs: "form-payload",
    },
  ];
};
