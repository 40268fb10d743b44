import { ClassifiedError, classifyError } from "../failures/classify.ts";
import { redactHeaders, redactUrl } from "../outbound/redact.ts";
import { newSpanId } from "../envelope/traceparent.ts";
import { namedCredential } from "./credential.ts";
import { exchange, ownHeaders, type Binding } from "./exchange.ts";
import { lookUp } from "./look-up.ts";
import type { BoundOperation } from "./operation.ts";
import { renderRequest } from "./render-request.ts";
import { sideEffectRefOf } from "./side-effect-ref.ts";

/** Any request, templated from the event. */
export function bindGenericHttp(binding: Binding): BoundOperation {
  const { endpoint, operation } = binding;
  return {
    targetSystem: binding.targetSystem,

    preview: (input) => {
      const { method, url, headers, body } = renderRequest(endpoint, operation, input);
      const auth = endpoint.auth && namedCredential(endpoint.auth);
      return {
        method,
        url: redactUrl(url),
        headers: {
          ...redactHeaders(headers),
          ...ownHeaders(input, "<span id>", operation.idempotencyHeader),
          ...(auth && { [auth.header]: auth.value }),
        },
        ...(body === undefined ? {} : { body }),
      };
    },

    execute: async (input) => {
      const started = performance.now();
      const durationMs = (): number => Math.round(performance.now() - started);
      try {
        const request = renderRequest(endpoint, operation, input);
        const own = ownHeaders(input, newSpanId(), operation.idempotencyHeader);
        const { answer, failing } = await exchange(binding, request, own, operation.statusClasses);
        if (failing !== undefined) throw new ClassifiedError(failing);
        const sideEffectRef = sideEffectRefOf(answer, operation.sideEffectRefPath, request.url);
        return { kind: "succeeded", httpStatus: answer.status, sideEffectRef, durationMs: durationMs() };
      } catch (error) {
        const failing = classifyError(error, hostOf(endpoint.url));
        const harmless = operation.method === "GET" ? { mayHaveHappened: false } : {};
        return { kind: "failed", failing: { ...failing, ...harmless }, durationMs: durationMs() };
      }
    },

    askVendor: async (input) => {
      const repeatable = operation.idempotencyHeader !== undefined || operation.method === "GET";
      if (operation.lookup === undefined) return { kind: repeatable ? "repeatable" : "unknown" };
      const found = await lookUp(binding, operation.lookup, input);
      // A vendor that cannot be asked may still be trusted with the same key.
      return found.kind === "failed" && repeatable ? { kind: "repeatable" } : found;
    },
  };
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}
