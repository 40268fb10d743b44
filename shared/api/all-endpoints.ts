import type { Endpoint } from "./endpoint.ts";
import * as apiKeys from "./endpoints/api-keys.ts";
import * as audit from "./endpoints/audit.ts";
import * as connections from "./endpoints/connections.ts";
import * as hooks from "./endpoints/hooks.ts";
import * as me from "./endpoints/me.ts";
import * as secrets from "./endpoints/secrets.ts";
import * as service from "./endpoints/service.ts";

/** Every operation of the API. A test compares them with what the app registers. */
export const allEndpoints: readonly Endpoint[] = [
  ...Object.values(hooks),
  ...Object.values(connections),
  ...Object.values(secrets),
  ...Object.values(me),
  ...Object.values(apiKeys),
  ...Object.values(audit),
  ...Object.values(service),
];
