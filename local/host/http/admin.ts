import type { IncomingMessage, ServerResponse } from "node:http";

import { isObject } from "../config/json-file.ts";
import type { HostedFunction } from "../functions.ts";
import type { HostContext } from "../host-context.ts";
import { messageOf } from "../../start-error.ts";
import { hostVersion } from "../worker/core-module.ts";
import { readBody } from "./body.ts";
import { respond, respondAndClose, respondJson } from "./respond.ts";
import type { RequestTarget } from "./target.ts";

export interface AdminOptions {
  readonly bodyLimit: number;
  /** Where a function of the app answers; undefined for those without a route. */
  readonly invokeUrl: (fn: HostedFunction) => string | undefined;
  /** Starts a function by hand. */
  readonly fire: (fn: HostedFunction, input: string | undefined) => Promise<void>;
  /** What else the host tells about itself. */
  readonly status: () => object;
}

/** The part of the platform's management API that local tools use. */
export async function answerAdmin(
  context: HostContext,
  options: AdminOptions,
  request: IncomingMessage,
  response: ServerResponse,
  { method, path }: RequestTarget,
): Promise<void> {
  const [, area, name, ...rest] = path.segments.map((segment) => segment.toLowerCase());
  const reads = method === "GET" || method === "HEAD";
  const fn = context.functions.find((candidate) => candidate.name.toLowerCase() === name);
  if (rest.length > 0) respond(response, 404);
  else if (area === "host" && name === "status" && reads) {
    respondJson(response, 200, hostStatus(context, options));
  } else if (area === "host" && name === "ping") respond(response, 200);
  else if (area === "functions" && name === undefined && reads) {
    respondJson(
      response,
      200,
      context.functions.map((each) => describe(each, options)),
    );
  } else if (area !== "functions" || fn === undefined) respond(response, 404);
  else if (reads) respondJson(response, 200, describe(fn, options));
  else if (method === "POST") await fireByHand(context, options, fn, request, response);
  else respond(response, 404);
}

function hostStatus({ functions, invoker }: HostContext, { status }: AdminOptions): object {
  return {
    id: `interlock-${process.pid}`,
    state: "Running",
    version: hostVersion,
    processUptime: Math.round(process.uptime() * 1000),
    functions: functions.length,
    disabledFunctions: functions.filter((fn) => fn.disabled).length,
    runningInvocations: invoker.running,
    ...status(),
  };
}

function describe(fn: HostedFunction, { invokeUrl }: AdminOptions): object {
  const bindings = [
    fn.trigger,
    ...fn.inputs.map(({ binding }) => binding),
    ...fn.outputs.map(({ key, binding }) => ({ ...binding, name: key })),
  ];
  return {
    name: fn.name,
    language: "node",
    config: { name: fn.name, bindings, disabled: fn.disabled },
    invoke_url_template: invokeUrl(fn) ?? "",
    isDisabled: fn.disabled,
  };
}

/** Answers before the function has run, as the platform does; how it went is in the log. */
async function fireByHand(
  { log }: HostContext,
  { bodyLimit, fire }: AdminOptions,
  fn: HostedFunction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request, bodyLimit);
  if (body.kind !== "whole") {
    respondAndClose(response, 413);
    return;
  }
  const read = readInput(body.bytes.toString("utf8"));
  if (!read.valid) {
    respondJson(response, 400, { message: 'The body must be JSON such as {"input": "…"}' });
    return;
  }
  fire(fn, read.input).catch((error: unknown) => {
    log.write("Error", `Function.${fn.name}`, `'${fn.name}' could not be started: ${messageOf(error)}`);
  });
  respond(response, 202);
}

type Input = { readonly valid: true; readonly input: string | undefined } | { readonly valid: false };

function readInput(text: string): Input {
  if (text.trim() === "") return { valid: true, input: undefined };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { valid: false };
  }
  if (!isObject(value)) return { valid: false };
  const { input } = value;
  if (input === undefined || input === null) return { valid: true, input: undefined };
  return { valid: true, input: typeof input === "string" ? input : JSON.stringify(input) };
}
