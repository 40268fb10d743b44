import type { Occurrence } from "../occurrence.ts";
import type { Sample, Samples } from "../vendor.ts";

const sender = { login: "octocat", id: 583231, type: "User", html_url: "https://github.com/octocat" };
const repository = {
  id: 1296269,
  name: "hello-world",
  full_name: "octo-org/hello-world",
  private: false,
  owner: { login: "octo-org", id: 9919, type: "Organization" },
  html_url: "https://github.com/octo-org/hello-world",
  default_branch: "main",
};

function pullRequest({ number, at, digits }: Occurrence, more: object): object {
  return {
    id: 279_147_437 + number,
    number,
    state: "open",
    title: `Update the README, part ${number}`,
    body: "Says how to start, and what to do next.",
    html_url: `${repository.html_url}/pull/${number}`,
    user: sender,
    labels: [{ id: 208_045_946, name: "documentation", color: "0075ca" }],
    draft: false,
    merged: false,
    head: { ref: `readme-${number}`, sha: digits.slice(0, 40) },
    base: { ref: "main", sha: digits.slice(24, 64) },
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    ...more,
  };
}

function issue({ number, at }: Occurrence): object {
  return {
    id: 444_500_041 + number,
    number,
    title: "Spelling error in the README file",
    state: "open",
    html_url: `${repository.html_url}/issues/${number}`,
    user: sender,
    labels: [{ id: 208_045_947, name: "bug" }],
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
  };
}

const about = (payload: (of: Occurrence) => object): Sample => ({
  payload: (of) => ({ ...payload(of), repository, sender }),
});

const pullRequestOf = (action: string, more: object = {}): Sample =>
  about((of) => ({ action, number: of.number, pull_request: pullRequest(of, more) }));

export const githubSamples: Samples = {
  "pull_request.opened": pullRequestOf("opened"),
  "pull_request.closed": pullRequestOf("closed", { state: "closed", merged: true }),
  "pull_request.synchronize": pullRequestOf("synchronize"),
  "issues.opened": about((of) => ({ action: "opened", issue: issue(of) })),
  "issue_comment.created": about((of) => ({
    action: "created",
    issue: issue(of),
    comment: {
      id: 99_262_140 + of.number,
      body: "You are totally right! I'll get this fixed right away.",
      user: sender,
      created_at: of.at.toISOString(),
      updated_at: of.at.toISOString(),
    },
  })),
  push: about(({ digits, at }) => ({
    ref: "refs/heads/main",
    before: digits.slice(24, 64),
    after: digits.slice(0, 40),
    created: false,
    deleted: false,
    forced: false,
    commits: [{ id: digits.slice(0, 40), message: "Update README.md", timestamp: at.toISOString() }],
    pusher: { name: "octocat", email: "octocat@github.com" },
  })),
  "release.published": about(({ number, at }) => ({
    action: "published",
    release: {
      id: 11_248_810 + number,
      tag_name: `v1.${number}.0`,
      name: null,
      draft: false,
      prerelease: false,
      created_at: at.toISOString(),
      published_at: at.toISOString(),
    },
  })),
  "workflow_run.completed": about(({ number, digits, at }) => ({
    action: "completed",
    workflow_run: {
      id: 30_433_642 + number,
      name: "CI",
      status: "completed",
      conclusion: "failure",
      head_branch: "main",
      head_sha: digits.slice(0, 40),
      html_url: `${repository.html_url}/actions/runs/${30_433_642 + number}`,
      updated_at: at.toISOString(),
    },
  })),
  /** What GitHub sends when a hook is made. */
  ping: about(({ at }) => ({
    zen: "Design for failure.",
    hook_id: 292_430_182,
    hook: { type: "Repository", id: 292_430_182, active: true, updated_at: at.toISOString() },
  })),
};
