import type { DiagnosticCode } from "../../shared/config/diagnostic.ts";
import type { Filter, Route } from "../../shared/config/route-schema.ts";

/** What the schema cannot say. A field that is added does not compile until it is explained here. */
export const fieldMeanings: Readonly<Record<keyof Route, string>> = {
  routeName: "Its name: in the ledger's key, in logs and in every address.",
  description: "For people.",
  enabled: "Whether it takes events. Says so of what is under way, too: that is held.",
  subject: "What it matches; `*` stands for one segment, `#` at the end for the rest.",
  sourceSystem: "Only events of this vendor.",
  objectType: "Only events about such objects; `*` for any.",
  eventType: "Only events of this kind; `*` for any.",
  connectionId: "Only events that came in by this connection.",
  filters: "Comparisons with the payload, all of which must hold; see below.",
  priority: "Of routes that mean the same action at the same target the highest runs.",
  intendedAction:
    "What it does to the object, in a word; without it the operation's method. Part of the ledger's key.",
  endpointKey: "Where it sends: a name under `endpoints`.",
  operation: "What it sends; see below.",
  mode: "`queue`: as soon as possible. `inline`: by the router itself. `drain`: gathered, and sent in batches.",
  rateLimitPerMin: "So many a minute, on all hosts together; the rest is put off.",
  workerBatchSize: "How much one cycle of a drain puts on the queue.",
  drainIntervalMin: "Minutes between two drains.",
  maxCyclesPerRun: "Cycles in one drain.",
  rateProfile: "Where mode and pace come from, unless the route says otherwise.",
  retryProfile: "The pauses between attempts.",
  maxRetries: "Fewer retries than the profile has pauses.",
  alertChannel: "Who hears of its failures.",
  ledger: "How it remembers what it has done; see below.",
  inDoubt:
    "What to do when nobody can say whether an attempt has happened: `park` it for a person, or `retry`.",
  staleGuard: "Skip an event that is older than the newest one applied to the same object.",
  freezeOnQuarantine:
    "After a failure of the data, hold everything for that object until a person releases it.",
  floodGuard: "So many dead letters within so many minutes pause the route.",
};

export const operatorMeanings: Readonly<Record<Filter["operator"], string>> = {
  Equals: 'the value is this one, of the same type: `5` is not `"5"`; of a list, if one of its items is',
  NotEquals: "no value is this one; also where there is none",
  Contains: "the text has this part, or the list this item",
  NotContains: "no value does so; also where there is none",
  GreaterThan: "the number is greater, or the time later",
  LessThan: "the number is smaller, or the time earlier",
  Exists: "there is something other than null and an empty list",
  NotExists: "there is nothing, null or an empty list",
};

export const diagnosticMeanings: Readonly<Record<DiagnosticCode, string>> = {
  TOO_DEEP: "It is nested deeper than anything needs to be.",
  SCHEMA: "A field is missing, unknown, or not of its type.",
  DUPLICATE_NAME: "Two routes or two subscriptions have the same name.",
  RESERVED_NAME: "A profile or formula has the name of a built-in one.",
  UNKNOWN_ENDPOINT: "The route names an endpoint that is not there.",
  UNKNOWN_RETRY_PROFILE: "The route names a retry profile that is not there.",
  UNKNOWN_RATE_PROFILE: "The route names a rate profile that is not there.",
  UNKNOWN_KEY_FORMULA: "The route names a key formula that is not there.",
  UNKNOWN_ROUTE: "The subscription names a route that is not there.",
  UNREACHABLE_ROUTE: "The route has no criteria, and no subscription names it.",
  TOO_MANY_RETRIES: "The profile does not have so many pauses.",
  BAD_PATH: "It is not a path, or does not begin with what is known there.",
  BAD_TEMPLATE: "A template is not closed, or reads what is not there.",
  BAD_FILTER: "The operator needs a value, needs none, or needs another type.",
  UNSTABLE_KEY: "The key would differ between two copies of the same event.",
  AUTH_INCOMPLETE: "The scheme needs a user name or a header.",
  SECRET_IN_CONFIG: "Something that looks like a secret stands in it; name a secret instead.",
  BAD_ADDRESS: "The address cannot be called.",
  PLAIN_HTTP: "Anybody on the way can read what is sent.",
  UNKNOWN_SUBJECT: "The subject is neither in the catalog nor was it observed.",
  UNKNOWN_CONNECTION: "There is no connection with this id.",
  SHADOWED_ROUTE: "For some events another route with the same action and target runs instead.",
  IN_DOUBT_PARKS: "A lost answer ends on somebody's desk, since the vendor cannot be asked.",
  BROAD_KEY: "All events of a route, or of several, have the same key.",
};
