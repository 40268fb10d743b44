import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { comment, configHash, versionNumber } from "../schemas/config.ts";
import { routeDetail, routeName, routeStatus } from "../schemas/route-status.ts";
import { typed } from "../typed-schema.ts";

const tag = "Routes";
const params = { routeName };

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageProperties,
} as const satisfies JSONSchema;

const commentQuery = {
  type: "object",
  additionalProperties: false,
  properties: { comment: { ...comment, description: "Why; kept in the history of the configuration." } },
} as const satisfies JSONSchema;

const pauseReason = {
  title: "RoutePause",
  type: "object",
  additionalProperties: false,
  required: ["reason"],
  properties: { reason: { type: "string", minLength: 1, maxLength: 500 } },
} as const satisfies JSONSchema;

const example = {
  routeName: "PR_TO_CHAT",
  configured: true,
  enabled: true,
  backlog: { count: 0, isMore: false },
  matchedSubjects: ["github.events.pull_request.opened"],
};

const drained = { type: "integer", description: "How much was put on the queue." } as const;

export const listRoutes = endpoint({
  operationId: "list-routes",
  method: "GET",
  path: "v1/routes",
  role: "viewer",
  tag,
  summary: "Lists the routes as they run",
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "By name: those that are configured, and those that are gone and have work waiting.",
      schema: pageSchema("RoutePage", routeStatus),
      example: { items: [example] },
    },
  },
});

export const readRoute = endpoint({
  operationId: "read-route",
  method: "GET",
  path: "v1/routes/{routeName}",
  role: "viewer",
  tag,
  summary: "Shows a route as it runs",
  params,
  responses: { 200: { description: "The route.", schema: routeDetail, example } },
});

export const pauseRoute = endpoint({
  operationId: "pause-route",
  method: "POST",
  path: "v1/routes/{routeName}/pause",
  role: "operator",
  tag,
  summary: "Pauses a route",
  description:
    "What is under way ends; what comes next, retries too, waits in the backlog. Every host knows within two seconds. " +
    "Pausing a route that is paused changes nothing.",
  params,
  body: { ...typed<FromSchema<typeof pauseReason>>(pauseReason), example: { reason: "The chat is down" } },
  responses: {
    200: {
      description: "It is paused.",
      schema: {
        title: "PausedRoute",
        type: "object",
        additionalProperties: false,
        required: ["routeName", "wasRunning"],
        properties: { routeName, wasRunning: { type: "boolean" } },
      },
      example: { routeName: example.routeName, wasRunning: true },
    },
  },
  audit: { action: "route.pause", target: "routes/{routeName}", details: ["reason"] },
});

export const resumeRoute = endpoint({
  operationId: "resume-route",
  method: "POST",
  path: "v1/routes/{routeName}/resume",
  role: "operator",
  tag,
  summary: "Lets a paused route go on",
  description:
    "A first batch of what waits goes on the queue at once, and the rest follows every half minute. The dead letters of " +
    "before no longer count for the flood guard.",
  params,
  responses: {
    200: {
      description: "It runs.",
      schema: {
        title: "ResumedRoute",
        type: "object",
        additionalProperties: false,
        required: ["routeName", "wasPaused", "drained"],
        properties: { routeName, wasPaused: { type: "boolean" }, drained },
      },
      example: { routeName: example.routeName, wasPaused: true, drained: 12 },
    },
  },
  audit: { action: "route.resume", target: "routes/{routeName}" },
});

export const drainRoute = endpoint({
  operationId: "drain-route",
  method: "POST",
  path: "v1/routes/{routeName}/drain",
  role: "operator",
  tag,
  summary: "Puts what waits for a route on the queue now",
  description: "As much as the route takes at a time: `workerBatchSize` times `maxCyclesPerRun`.",
  params,
  responses: {
    200: {
      description: "How much was put on the queue.",
      schema: {
        title: "DrainedRoute",
        type: "object",
        additionalProperties: false,
        required: ["routeName", "drained"],
        properties: { routeName, drained },
      },
      example: { routeName: example.routeName, drained: 100 },
    },
  },
  faults: ["conflict"],
  audit: { action: "route.drain", target: "routes/{routeName}" },
});

export const parkBacklog = endpoint({
  operationId: "park-backlog",
  method: "POST",
  path: "v1/routes/{routeName}/park-backlog",
  role: "operator",
  tag,
  summary: "Makes dead letters of what waits for a route",
  description:
    "Work in the backlog goes on by the configuration it was routed by, and not at all where its route is gone. As a dead " +
    "letter it can be discarded, or replayed by the current one. 200 in one call: ask again while `isMore`.",
  params,
  responses: {
    200: {
      description: "How many were parked.",
      schema: {
        title: "ParkedBacklog",
        type: "object",
        additionalProperties: false,
        required: ["routeName", "parked", "isMore"],
        properties: { routeName, parked: { type: "integer" }, isMore: { type: "boolean" } },
      },
      example: { routeName: example.routeName, parked: 12, isMore: false },
    },
  },
  audit: { action: "route.park-backlog", target: "routes/{routeName}" },
});

const switched = {
  description: "It is in place, as a version of the configuration.",
  schema: {
    title: "SwitchedRoute",
    type: "object",
    additionalProperties: false,
    required: ["routeName", "enabled", "hash", "version", "changed"],
    properties: {
      routeName,
      enabled: { type: "boolean" },
      hash: configHash,
      version: versionNumber,
      changed: { type: "boolean", description: "False where it was so already." },
      drained,
    },
  },
  example: {
    routeName: example.routeName,
    enabled: false,
    hash: "5f0c8a1be2d94c7790c8f6f1d3b2a4e7",
    version: 4,
    changed: true,
  },
} as const;

export const disableRoute = endpoint({
  operationId: "disable-route",
  method: "POST",
  path: "v1/routes/{routeName}/disable",
  role: "admin",
  tag,
  summary: "Disables a route",
  description:
    "Puts a new version of the configuration into place that differs in this alone. Events that come meanwhile are skipped " +
    "for this route; what was routed before is held in the backlog until the route is enabled again. To keep what comes, " +
    "pause the route instead.",
  params,
  query: typed<FromSchema<typeof commentQuery>>(commentQuery),
  responses: { 200: switched },
  faults: ["precondition-failed"],
  audit: { action: "route.disable", target: "routes/{routeName}" },
});

export const enableRoute = endpoint({
  operationId: "enable-route",
  method: "POST",
  path: "v1/routes/{routeName}/enable",
  role: "admin",
  tag,
  summary: "Enables a route",
  description: "As a new version of the configuration. What was held goes on at once.",
  params,
  query: typed<FromSchema<typeof commentQuery>>(commentQuery),
  responses: { 200: { ...switched, example: { ...switched.example, enabled: true, drained: 3 } } },
  faults: ["precondition-failed"],
  audit: { action: "route.enable", target: "routes/{routeName}" },
});
