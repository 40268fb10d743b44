import { routeConfigSchema } from "../../config/route-schema.ts";
import { time } from "./config.ts";

const route = routeConfigSchema.properties.routes.items;
const { properties: pace } = routeConfigSchema.properties.rateProfiles.additionalProperties;

export const routeName = route.properties.routeName;

const settings = {
  type: "object",
  description: "What the configuration comes to, with its profiles and defaults.",
  properties: {
    ...pace,
    waitsSeconds: {
      type: "array",
      items: { type: "number" },
      description: "The pauses before the retries.",
    },
    jitter: { type: "number" },
    maxRetries: { type: "integer" },
    ledger: { type: "object" },
    inDoubt: { enum: ["retry", "park"] },
    staleGuard: { type: "boolean" },
    freezeOnQuarantine: { type: "boolean" },
    floodGuard: route.properties.floodGuard,
    endpointKey: { type: "string" },
    targetSystem: { type: "string" },
    intendedAction: { type: "string" },
    alertChannel: { type: "string" },
  },
} as const;

export const routeStatus = {
  title: "RouteStatus",
  type: "object",
  additionalProperties: false,
  required: ["routeName", "configured", "enabled", "backlog"],
  properties: {
    routeName,
    configured: {
      type: "boolean",
      description: "False for one that is gone from the configuration and has work waiting all the same.",
    },
    enabled: { type: "boolean" },
    paused: {
      type: "object",
      additionalProperties: false,
      required: ["reason", "at", "by"],
      properties: {
        reason: { type: "string" },
        at: time,
        by: { type: "string", description: "Id of an API key, or `flood-guard`." },
      },
    },
    backlog: {
      type: "object",
      additionalProperties: false,
      required: ["count", "isMore"],
      properties: {
        count: { type: "integer", description: "Counted to 1,000." },
        isMore: { type: "boolean" },
        waitingSince: { ...time, description: "Of the oldest." },
      },
    },
    settings,
    matchedSubjects: {
      type: "array",
      items: { type: "string" },
      description: "Observed subjects that its own subject matches; the first 50.",
    },
  },
} as const;

export const routeDetail = {
  ...routeStatus,
  title: "RouteDetail",
  properties: {
    ...routeStatus.properties,
    route: { type: "object", description: "As it is configured." },
    hash: { type: "string", description: "The configuration's version." },
  },
} as const;
