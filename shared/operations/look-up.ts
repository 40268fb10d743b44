import { ClassifiedError, classifyError } from "../failures/classify.ts";
import { forUrl } from "../json/escapes.ts";
import { readPath } from "../json/paths.ts";
import type { Escape } from "../json/template.ts";
import { TemplateProblem } from "../json/template-syntax.ts";
import { newSpanId } from "../envelope/traceparent.ts";
import { exchange, ownHeaders, type Binding } from "./exchange.ts";
import type { InDoubtAnswer, OperationInput } from "./operation.ts";
import { renderRequest } from "./render-request.ts";
import { parsedBody, sideEffectRefOf } from "./side-effect-ref.ts";

type Lookup = NonNullable<Binding["operation"]["lookup"]>;

/** Asks the vendor for the effect itself: 2xx, and what `existsPath` finds, is yes; 404 is no; all else is no answer. */
export async function lookUp(
  binding: Binding,
  lookup: Lookup,
  input: OperationInput,
): Promise<InDoubtAnswer> {
  try {
    const request = renderRequest(binding.endpoint, { method: "GET", ...lookup }, input, specific);
    const { answer, failing } = await exchange(binding, request, ownHeaders(input, newSpanId()));
    if (answer.status === 404) return { kind: "absent" };
    if (failing !== undefined) throw new ClassifiedError(failing);
    const { existsPath, sideEffectRefPath = binding.operation.sideEffectRefPath } = lookup;
    if (existsPath !== undefined) {
      const body = parsedBody(answer);
      if (body === undefined) throw unreadable(request.url.host);
      if (isNothing(readPath(body, existsPath))) return { kind: "absent" };
    }
    return { kind: "happened", sideEffectRef: sideEffectRefOf(answer, sideEffectRefPath, request.url) };
  } catch (error) {
    // Whatever was in doubt before still is.
    return { kind: "failed", failing: { ...classifyError(error), mayHaveHappened: true } };
  }
}

/** A search for nothing in particular finds something, and would be taken for the effect. */
const specific: Escape = (value, place) => {
  if (value !== "") return forUrl(value, place);
  throw new TemplateProblem(`${place.path} is empty, and the lookup needs it.`, place.path);
};

function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return value === undefined || value === null || value === "" || value === 0 || value === false;
}

function unreadable(host: string): ClassifiedError {
  return new ClassifiedError({
    classification: "Transient",
    code: "LOOKUP_UNREADABLE",
    message: `${host} answered the lookup with what is no JSON.`,
    mayHaveHappened: true,
  });
}
