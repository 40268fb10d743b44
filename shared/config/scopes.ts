import type { Envelope } from "../envelope/envelope.ts";
import type { OperationInput } from "../operations/operation.ts";

/** What the templates of an operation can speak of: `{{data.pull_request.number}}`, `{{event.correlationid}}`. */
export interface TemplateScope {
  readonly event: Omit<Envelope, "data">;
  readonly data: unknown;
  readonly routeName: string;
  readonly idempotencyKey: string;
  readonly attempt: number;
}

export function templateScope(input: OperationInput): TemplateScope {
  const { data, ...event } = input.envelope;
  const { routeName, idempotencyKey, attempt } = input;
  return { event, data, routeName, idempotencyKey, attempt };
}

/** The names a path of each scope may begin with. */
export const templateRoots = [
  "event",
  "data",
  "routeName",
  "idempotencyKey",
  "attempt",
] as const satisfies readonly (keyof TemplateScope)[];

export const keyRoots = [
  "event",
  "data",
  "routeName",
  "intendedAction",
  "targetSystem",
  "sourceSystem",
  "objectType",
  "objectId",
  "eventType",
  "eventTime",
  "eventId",
  "payloadHash",
  "subscriptionName",
] as const;

/** The attributes of `event`, for telling a misspelt one. */
export const eventAttributes = [
  "specversion",
  "id",
  "source",
  "type",
  "subject",
  "time",
  "datacontenttype",
  "tenantid",
  "connectionid",
  "sourcesystem",
  "objecttype",
  "objectid",
  "eventtype",
  "correlationid",
  "causationid",
  "traceparent",
  "payloadhash",
  "receivedat",
  "dataref",
] as const satisfies readonly (keyof Envelope)[];
