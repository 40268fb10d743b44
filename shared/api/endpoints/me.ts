import { roles } from "../../ledgers/api-keys.ts";
import { endpoint } from "../endpoint.ts";

export const readMe = endpoint({
  operationId: "read-me",
  method: "GET",
  path: "v1/me",
  role: "viewer",
  tag: "Access",
  summary: "Tells a caller who it is",
  description: "The first thing to try with a new API key.",
  responses: {
    200: {
      description: "The tenant and the key.",
      schema: {
        title: "Me",
        type: "object",
        additionalProperties: false,
        required: ["tenant", "key"],
        properties: {
          tenant: {
            type: "object",
            additionalProperties: false,
            required: ["id", "name"],
            properties: { id: { type: "string" }, name: { type: "string" } },
          },
          key: {
            type: "object",
            additionalProperties: false,
            required: ["id", "role"],
            properties: { id: { type: "string" }, role: { enum: roles } },
          },
        },
      },
      example: { tenant: { id: "demo", name: "Demo" }, key: { id: "0123456789abcdef", role: "admin" } },
    },
  },
});
