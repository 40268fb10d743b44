import type { HookAddress } from "./webhook-requests.ts";

/** The API as a tenant uses it. */
export interface ProductApi {
  /** A connection for GitHub's webhooks. */
  readonly connect: () => Promise<HookAddress>;
  /** Puts one route into place: what happens to a pull request that was opened. */
  readonly route: (sinkUrl: string) => Promise<void>;
}

export function productApi(url: string, apiKey: string): ProductApi {
  async function call(method: string, path: string, body: object): Promise<unknown> {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "x-api-key": apiKey, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text);
  }

  return {
    async connect() {
      const secret = "a-secret-of-the-benchmark-alone";
      const body = { name: "benchmark", source: "github", secret };
      const { connectionId } = (await call("POST", "/api/v1/connections", body)) as { connectionId: string };
      return { host: new URL(url).host, path: `/api/hooks/${connectionId}`, secret };
    },
    async route(sinkUrl) {
      await call("PUT", "/api/v1/config/routes", {
        endpoints: { sink: { url: sinkUrl } },
        routes: [
          {
            routeName: "pull-request-to-sink",
            enabled: true,
            subject: "github.events.pull_request.opened",
            endpointKey: "sink",
            operation: {
              kind: "generic-http",
              method: "POST",
              path: "/effects/{{data.number}}",
              body: { title: "{{data.pull_request.title}}" },
            },
            ledger: { required: true },
          },
        ],
      });
    },
  };
}
