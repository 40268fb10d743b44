import { endpoint } from "../endpoint.ts";

export const readHealth = endpoint({
  operationId: "read-health",
  method: "GET",
  path: "health",
  role: "public",
  tag: "Service",
  summary: "Says that the process answers",
  description: "And nothing about what it depends on: for load balancers, which ask often.",
  uncorrelated: true,
  responses: {
    200: {
      description: "It answers.",
      schema: {
        title: "Health",
        type: "object",
        additionalProperties: false,
        required: ["status", "version"],
        properties: { status: { enum: ["ok"] }, version: { type: "string" } },
      },
      example: { status: "ok", version: "1.0.0" },
    },
  },
});

export const readOpenApi = endpoint({
  operationId: "read-openapi",
  method: "GET",
  path: "openapi.json",
  role: "public",
  tag: "Service",
  summary: "This document",
  responses: { 200: { description: "OpenAPI 3.1.", schema: { type: "object" } } },
});
