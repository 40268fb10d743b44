import { templateScope } from "../config/scopes.ts";
import type { Endpoint } from "../config/route-schema.ts";
import { forHeader, forUrl } from "../json/escapes.ts";
import { renderJson, renderText, type Escape } from "../json/template.ts";
import { TemplateProblem } from "../json/template-syntax.ts";
import type { OutboundRequest } from "../outbound/send-request.ts";
import { version } from "../version.ts";
import { headerProblem } from "./header-names.ts";
import type { OperationInput } from "./operation.ts";
import { configInvalid, payloadUnfit } from "./refusals.ts";

/** What a route says about a request. */
export interface RequestTemplate {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The request for this event, without credentials. Throws a `ClassifiedError` when there can be none. */
export function renderRequest(
  endpoint: Endpoint,
  template: RequestTemplate,
  input: OperationInput,
  escape: Escape = forUrl,
): OutboundRequest {
  const scope = templateScope(input);
  const method = template.method ?? "POST";
  try {
    const path = renderText(template.path ?? "", scope, escape);
    const headers = {
      accept: "application/json",
      "user-agent": `Interlock/${version}`,
      ...renderHeaders(endpoint.headers, scope),
      ...renderHeaders(template.headers, scope),
    };
    const url = addressOf(endpoint.url, path);
    if (template.body !== undefined)
      return { method, url, ...bodyOf(renderJson(template.body, scope), headers) };
    if (method === "GET" || method === "DELETE") return { method, url, headers };
    const whole = { "content-type": "application/cloudevents+json", ...headers };
    return { method, url, headers: whole, body: JSON.stringify(input.envelope) };
  } catch (error) {
    if (error instanceof TemplateProblem) throw payloadUnfit(error.message);
    throw error;
  }
}

function renderHeaders(headers: RequestTemplate["headers"], scope: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, text]) => {
      const problem = headerProblem(name);
      if (problem !== undefined) throw configInvalid(problem);
      const value = renderText(text, scope, forHeader);
      if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value))
        throw configInvalid(`${name} holds what no header can.`);
      return [name.toLowerCase(), value];
    }),
  );
}

/** A text goes out as it is where the route says that the content is no JSON. */
function bodyOf(
  value: unknown,
  headers: Readonly<Record<string, string>>,
): Required<Pick<OutboundRequest, "headers" | "body">> {
  if (value === undefined) throw payloadUnfit("The event has nothing of which the body is made.");
  const all: Record<string, string> = { "content-type": "application/json", ...headers };
  const isText = typeof value === "string" && !/\bjson\b/i.test(all["content-type"] ?? "");
  return { headers: all, body: isText ? value : JSON.stringify(value) };
}

/** Appends to the path, whatever slashes are written: nothing in it can reach the host's part of the address. */
function addressOf(base: string, path: string): URL {
  if (!URL.canParse(base)) throw configInvalid("The endpoint's address is none.");
  const url = new URL(base);
  url.hash = "";
  const at = path.indexOf("?");
  const [below, query] = at < 0 ? [path, ""] : [path.slice(0, at), path.slice(at + 1)];
  if (/(^|[\\/])(\.|%2e){1,2}([\\/]|$)/i.test(below))
    throw payloadUnfit("The path leads out of the endpoint's address.");
  if (below !== "") url.pathname = `${url.pathname.replace(/\/$/, "")}/${below.replace(/^\//, "")}`;
  if (query !== "") url.search = url.search === "" ? query : `${url.search}&${query}`;
  return url;
}
