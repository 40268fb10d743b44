import { createHmac, randomUUID } from "node:crypto";

export interface HookAddress {
  readonly host: string;
  readonly path: string;
  readonly secret: string;
}

const bodyBytes = 2048;

/** A pull request as GitHub tells of it, made up to 2 KB; its number says which one it is. */
export function webhookBody(number: number): Buffer {
  const pull = (text: string): string =>
    JSON.stringify({
      action: "opened",
      number,
      pull_request: {
        id: 1_000_000 + number,
        node_id: `PR_${number}`,
        number,
        title: `Change ${number}`,
        body: text,
        state: "open",
        html_url: `https://github.com/acme/shop/pull/${number}`,
        labels: [{ name: "urgent" }],
        created_at: "2026-11-18T10:00:00Z",
        updated_at: "2026-11-18T10:00:00Z",
      },
      repository: { id: 7, full_name: "acme/shop", name: "shop" },
      sender: { id: 1, login: "octocat" },
    });
  return Buffer.from(pull("x".repeat(bodyBytes - pull("").length)));
}

/** The bytes of a whole request, signed, so that sending costs the sender next to nothing. */
export function webhookRequest({ host, path, secret }: HookAddress, number: number): Buffer {
  const body = webhookBody(number);
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}`,
    "content-type: application/json",
    "user-agent: GitHub-Hookshot/044aadd",
    "x-github-event: pull_request",
    `x-github-delivery: ${randomUUID()}`,
    `x-hub-signature-256: sha256=${signature}`,
    `content-length: ${body.length}`,
    "",
    "",
  ].join("\r\n");
  return Buffer.concat([Buffer.from(head), body]);
}
