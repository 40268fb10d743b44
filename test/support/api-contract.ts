import { Ajv2020 } from "ajv/dist/2020.js";

import { allEndpoints } from "../../shared/api/all-endpoints.ts";
import { openApiDocument } from "../../shared/api/openapi.ts";

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: "path" | "query" | "header";
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: Readonly<Record<string, object>>; readonly content?: Record<string, Media> }
    >
  >;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** An answer as it is compared with the document. */
export interface Observed {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** An answer is not what the OpenAPI document says. */
export class ContractBroken extends Error {
  override readonly name = "ContractBroken";
}

export const apiDocument = openApiDocument(allEndpoints) as unknown as Document;

const documentId = "openapi";
const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    "date-time": (text: string) => !Number.isNaN(Date.parse(text)),
    uri: (text: string) => URL.canParse(text),
  },
}).addSchema(apiDocument, documentId);

/** Throws where an answer has a status, a header or a body that the document does not have. */
export function assertDocumented(method: string, path: string, answer: Observed): void {
  const template = templateOf(method, path);
  const name = `${method} ${path} -> ${answer.status}`;
  const fail = (reason: string): never => {
    throw new ContractBroken(`${name}: ${reason}\n${answer.text.slice(0, 500)}`);
  };
  const operation = template === undefined ? undefined : apiDocument.paths[template]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) return fail("the document has no such operation");
  const response = operation.responses[answer.status];
  if (response === undefined) return fail("the status is not documented");
  for (const header of Object.keys(response.headers ?? {})) {
    if (answer.headers.get(header) === null) fail(`the header ${header} is missing`);
  }
  if (response.content === undefined) {
    if (answer.text !== "") fail("there is a body, and none is documented");
    return;
  }
  const [[contentType, media] = ["", {}]] = Object.entries(response.content);
  const given = answer.headers.get("content-type") ?? "";
  if (contentType !== "*/*" && given.split(";")[0] !== contentType) fail(`the content type is ${given}`);
  if (media.schema === undefined) return;
  const at = [
    "paths",
    template,
    method.toLowerCase(),
    "responses",
    answer.status,
    "content",
    contentType,
    "schema",
  ];
  const validate = ajv.getSchema(`${documentId}#/${at.map(pointerStep).join("/")}`);
  if (validate === undefined) return fail("its schema is not in the document");
  if (validate(JSON.parse(answer.text)) !== true) fail(ajv.errorsText(validate.errors));
}

function templateOf(method: string, path: string): string | undefined {
  const candidates = Object.keys(apiDocument.paths).filter(
    (template) => apiDocument.paths[template]?.[method.toLowerCase()] !== undefined,
  );
  return (
    candidates.find((template) => template === path) ??
    candidates.find((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
  );
}

function pointerStep(step: string | number): string {
  return encodeURIComponent(String(step).replaceAll("~", "~0").replaceAll("/", "~1"));
}
