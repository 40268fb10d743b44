import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { reader } from "../json/schema.ts";

/** `description` is what a person is told when the form is wrong. */
const name = {
  type: "string",
  pattern: "^[A-Za-z][A-Za-z0-9._-]{0,62}$",
  description: "a letter, then up to 62 letters, digits, dots, dashes or underscores",
} as const;
const minutes = { type: "integer", minimum: 1, maximum: 1440 } as const;
const headerName = {
  type: "string",
  pattern: "^[A-Za-z0-9_-]{1,64}$",
  description: "a header's name of letters, digits, dashes and underscores",
} as const;
const headers = {
  type: "object",
  propertyNames: headerName,
  additionalProperties: { type: "string", maxLength: 2048 },
  maxProperties: 32,
} as const;
const connectionId = {
  type: "string",
  pattern: "^[a-z0-9]{8,64}$",
  description: "the id of a connection",
} as const;

/** Comparison of one field of the payload; all filters of a route must hold. */
const filter = {
  type: "object",
  additionalProperties: false,
  required: ["path", "operator"],
  properties: {
    /** Such as `pull_request.labels[*].name`; begins at the payload. */
    path: { type: "string", minLength: 1, maxLength: 256 },
    operator: {
      enum: [
        "Equals",
        "NotEquals",
        "Contains",
        "NotContains",
        "GreaterThan",
        "LessThan",
        "Exists",
        "NotExists",
      ],
    },
    value: { type: ["string", "number", "boolean", "null"] },
  },
} as const;

/** Where a route sends to. The credential is named, never written here. */
const endpoint = {
  type: "object",
  additionalProperties: false,
  required: ["url"],
  properties: {
    url: { type: "string", format: "uri", maxLength: 2048 },
    targetSystem: name,
    headers,
    auth: {
      type: "object",
      additionalProperties: false,
      required: ["scheme", "secretName"],
      properties: {
        scheme: { enum: ["bearer", "basic", "header"] },
        /** A secret of the tenant, stored with `PUT /api/v1/secrets/{name}`. */
        secretName: name,
        /** For the scheme `header`. */
        header: headerName,
        /** For the scheme `basic`; the secret is the password. */
        username: { type: "string", maxLength: 256 },
      },
    },
  },
} as const;

const request = {
  type: "object",
  additionalProperties: false,
  properties: {
    method: { enum: ["GET", "POST", "PUT", "PATCH", "DELETE"] },
    /** Appended to the endpoint's address; may hold `{{data.path}}`, each escaped for its place. It begins with a slash
     * or a question mark, for what begins otherwise would lengthen the name of the host. */
    path: {
      type: "string",
      pattern: "^([/?]|$)",
      maxLength: 2048,
      description: "it must begin with / or ?",
    },
    headers,
  },
} as const;

/** The operation `generic-http`: any request, templated from the event. */
const operation = {
  type: "object",
  additionalProperties: false,
  required: ["kind"],
  properties: {
    kind: { enum: ["generic-http"] },
    ...request.properties,
    /** A JSON template; texts may hold `{{path}}`, and a text that is nothing but one keeps the value's type. Without
     * it the whole envelope is sent. */
    body: {},
    timeoutSeconds: { type: "integer", minimum: 1, maximum: 120 },
    /** Header that carries the idempotency key, where the vendor honours one. */
    idempotencyHeader: headerName,
    /** Where in a JSON answer the vendor's id of the effect stands. */
    sideEffectRefPath: { type: "string", maxLength: 256 },
    /** How to find out whether an attempt nobody saw the end of has happened: 2xx yes, 404 no. */
    lookup: {
      type: "object",
      additionalProperties: false,
      required: ["path"],
      properties: {
        ...request.properties,
        sideEffectRefPath: { type: "string", maxLength: 256 },
        /** The effect exists only if this path of the answer holds something (an empty list is nothing). */
        existsPath: { type: "string", maxLength: 256 },
      },
    },
    /** Statuses classified otherwise than by the table: `{ "409": "Transient" }`; `Success` is a class here. */
    statusClasses: {
      type: "object",
      propertyNames: { pattern: "^[1-5][0-9][0-9]$" },
      additionalProperties: {
        enum: ["Success", "Transient", "RateLimited", "Auth", "Validation", "Poison"],
      },
    },
  },
} as const;

const retryProfile = {
  type: "object",
  additionalProperties: false,
  required: ["waitsSeconds"],
  properties: {
    waitsSeconds: {
      type: "array",
      maxItems: 20,
      items: { type: "integer", minimum: 1, maximum: 86400 },
    },
    /** Fraction by which a wait may be longer or shorter. */
    jitter: { type: "number", minimum: 0, maximum: 0.5 },
  },
} as const;

/** How much at a time: the settings a route takes from its `rateProfile`, unless it says otherwise. */
const pace = {
  mode: { enum: ["queue", "inline", "drain"] },
  rateLimitPerMin: { type: "integer", minimum: 1, maximum: 100000 },
  workerBatchSize: { type: "integer", minimum: 1, maximum: 1000 },
  drainIntervalMin: minutes,
  maxCyclesPerRun: { type: "integer", minimum: 1, maximum: 100 },
} as const;

const route = {
  type: "object",
  additionalProperties: false,
  required: ["routeName", "enabled", "endpointKey", "operation"],
  properties: {
    routeName: name,
    description: { type: "string", maxLength: 1000 },
    enabled: { type: "boolean" },
    /** What it matches: whichever are given must hold. Without any, only subscriptions choose the route. `*` stands for
     * one segment of a subject, `#` at its end for the rest; a type of `*` is any type. */
    subject: {
      type: "string",
      pattern: "^(([A-Za-z0-9_-]+|\\*)\\.)*([A-Za-z0-9_-]+|\\*|#)$",
      maxLength: 200,
      description: "segments with dots between, * for any one of them, # at the end for the rest",
    },
    sourceSystem: name,
    objectType: { type: "string", minLength: 1, maxLength: 100 },
    eventType: { type: "string", minLength: 1, maxLength: 100 },
    /** Only events of this connection. */
    connectionId,
    filters: { type: "array", maxItems: 20, items: filter },
    /** Of routes that mean the same action at the same target the highest wins. */
    priority: { type: "integer", minimum: -1000, maximum: 1000 },
    /** What the route does to the object, in a word: part of the ledger's key. Default: the operation's method. */
    intendedAction: name,
    endpointKey: name,
    operation,
    ...pace,
    rateProfile: name,
    retryProfile: name,
    /** At most so many retries, whatever the profile would allow. */
    maxRetries: { type: "integer", minimum: 0, maximum: 20 },
    alertChannel: { type: "string", maxLength: 200 },
    ledger: {
      type: "object",
      additionalProperties: false,
      properties: {
        required: { type: "boolean" },
        /** `record`: once for the object, ever; `operation`: once for each distinct payload. */
        uniquenessLevel: { enum: ["record", "operation"] },
        /** Name of a formula under `keyFormulas`, or of a built-in one. */
        keyFormulaRef: name,
        retentionDays: { type: "integer", minimum: 1, maximum: 3650 },
      },
    },
    /** What to do when nobody can say whether an attempt has happened. */
    inDoubt: { enum: ["retry", "park"] },
    /** Skip an event that is older than the newest one applied to the same object. */
    staleGuard: { type: "boolean" },
    /** After a data-quality failure, hold everything for that object until a person releases it. */
    freezeOnQuarantine: { type: "boolean" },
    floodGuard: {
      type: "object",
      additionalProperties: false,
      required: ["limit", "windowMin"],
      properties: { limit: { type: "integer", minimum: 2, maximum: 10000 }, windowMin: minutes },
    },
  },
} as const;

/** A watch-events subscription: chooses a route for events of an object type, whatever the route itself matches. */
const subscription = {
  type: "object",
  additionalProperties: false,
  required: ["subscriptionName", "objectType", "eventType", "enabled", "routeName"],
  properties: {
    subscriptionName: name,
    /** `*` for every one, here and below. */
    objectType: { type: "string", minLength: 1, maxLength: 100 },
    eventType: { type: "string", minLength: 1, maxLength: 100 },
    /** Only events of this vendor, of this connection. */
    sourceSystem: name,
    connectionId,
    enabled: { type: "boolean" },
    filterJson: { type: "array", maxItems: 20, items: filter },
    routeName: name,
  },
} as const;

/** Everything that decides what happens to an event of a tenant: one document, versioned as a whole. */
export const routeConfigSchema = {
  type: "object",
  additionalProperties: false,
  required: ["routes"],
  properties: {
    routes: { type: "array", maxItems: 500, items: route },
    subscriptions: { type: "array", maxItems: 500, items: subscription },
    endpoints: { type: "object", propertyNames: name, additionalProperties: endpoint, maxProperties: 200 },
    retryProfiles: {
      type: "object",
      propertyNames: name,
      additionalProperties: retryProfile,
      maxProperties: 50,
    },
    rateProfiles: {
      type: "object",
      propertyNames: name,
      maxProperties: 50,
      additionalProperties: { type: "object", additionalProperties: false, properties: pace },
    },
    /** Lists of paths whose values make a ledger key, such as `["routeName", "objectId", "data.version"]`. */
    keyFormulas: {
      type: "object",
      propertyNames: name,
      maxProperties: 50,
      additionalProperties: {
        type: "array",
        minItems: 1,
        maxItems: 16,
        items: { type: "string", minLength: 1, maxLength: 256 },
      },
    },
  },
} as const satisfies JSONSchema;

export const readRouteConfig = reader<RouteConfig>(routeConfigSchema);

export type RouteConfig = FromSchema<typeof routeConfigSchema>;
export type Route = RouteConfig["routes"][number];
export type Subscription = NonNullable<RouteConfig["subscriptions"]>[number];
export type Endpoint = NonNullable<RouteConfig["endpoints"]>[string];
export type Filter = FromSchema<typeof filter>;
export type RetryProfile = FromSchema<typeof retryProfile>;
export type RateProfile = NonNullable<RouteConfig["rateProfiles"]>[string];
