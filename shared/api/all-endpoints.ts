import type { Endpoint } from "./endpoint.ts";
import * as apiKeys from "./endpoints/api-keys.ts";
import * as audit from "./endpoints/audit.ts";
import * as catalog from "./endpoints/catalog.ts";
import * as config from "./endpoints/config.ts";
import * as connections from "./endpoints/connections.ts";
import * as escalations from "./endpoints/escalations.ts";
import * as events from "./endpoints/events.ts";
import * as failures from "./endpoints/failures.ts";
import * as hooks from "./endpoints/hooks.ts";
import * as me from "./endpoints/me.ts";
import * as replays from "./endpoints/replays.ts";
import * as routes from "./endpoints/routes.ts";
import * as secrets from "./endpoints/secrets.ts";
import * as service from "./endpoints/service.ts";

const modules: readonly Readonly<Record<string, Endpoint>>[] = [
  hooks,
  connections,
  config,
  routes,
  catalog,
  events,
  failures,
  replays,
  escalations,
  secrets,
  me,
  apiKeys,
  audit,
  service,
];

/** Every operation of the API, by path. A test compares them with what the app registers. */
export const allEndpoints: readonly Endpoint[] = modules
  .flatMap((module) => Object.values(module))
  .toSorted((a, b) => (`${a.path} ${a.operationId}` < `${b.path} ${b.operationId}` ? -1 : 1));
