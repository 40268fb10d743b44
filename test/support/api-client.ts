import { assertDocumented } from "./api-contract.ts";

export interface ApiRequest {
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface ApiAnswer {
  readonly status: number;
  /** Parsed where it is JSON. */
  readonly body: unknown;
  readonly text: string;
  readonly headers: Headers;
}

export interface ApiClient {
  /** `path` begins with `/api/`. Throws `ContractBroken` for an answer that the OpenAPI document does not have. */
  readonly request: (method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer>;
}

const defaultTimeoutMs = 20_000;

/** Calls the API as a user does, and holds every answer against the OpenAPI document. */
export function createApiClient(baseUrl: string, apiKey?: string): ApiClient {
  return {
    async request(method, path, { body, headers = {}, timeoutMs = defaultTimeoutMs } = {}) {
      const isRaw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
      const response = await fetch(new URL(path, baseUrl), {
        method,
        redirect: "manual",
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          ...(apiKey !== undefined && { "x-api-key": apiKey }),
          ...(!isRaw && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      assertDocumented(method, new URL(path, baseUrl).pathname, {
        status: response.status,
        headers: response.headers,
        text,
      });
      return { status: response.status, headers: response.headers, text, body: parsed(response, text) };
    },
  };
}

function parsed(response: Response, text: string): unknown {
  return /[/+]json\b/.test(response.headers.get("content-type") ?? "") && text !== ""
    ? (JSON.parse(text) as unknown)
    : text;
}
