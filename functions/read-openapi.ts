import { app } from "@azure/functions";

import { allEndpoints } from "../shared/api/all-endpoints.ts";
import { toResponse } from "../shared/api/answer.ts";
import { readOpenApi } from "../shared/api/endpoints/service.ts";
import { openApiDocument } from "../shared/api/openapi.ts";

/** Made when it is first asked for: nobody needs it at a cold start. */
let body: object | undefined;

app.http(readOpenApi.operationId, {
  route: readOpenApi.path,
  methods: [readOpenApi.method],
  authLevel: "anonymous",
  handler: (_, { invocationId }) => {
    body ??= openApiDocument(allEndpoints);
    return toResponse({ status: 200, body }, invocationId);
  },
});
