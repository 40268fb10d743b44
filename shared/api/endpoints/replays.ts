import type { FromSchema, JSONSchema } from "json-schema-to-ts";

import { dryRun, replay, replayId, replayItem } from "../../replay/answer-schemas.ts";
import { outcomes } from "../../replay/outcomes.ts";
import { type NewReplay, newReplay } from "../../replay/request-schema.ts";
import { replayDefaults } from "../../replay/selector.ts";
import { replayMachine } from "../../replay/states.ts";
import { verdicts } from "../../replay/verdicts.ts";
import { endpoint } from "../endpoint.ts";
import { pageProperties, pageSchema } from "../page.ts";
import { typed } from "../typed-schema.ts";

const tag = "Replays";

const listQuery = {
  type: "object",
  additionalProperties: false,
  properties: pageProperties,
} as const satisfies JSONSchema;

const failureId = "5f0c2b9a4d8e4c1fb7a6930e12d4c8aa";

const replayExample = {
  replayId: "98235200000000-0c9d8e7f6a5b4c3d",
  state: "Running",
  means: replayMachine.states.Running.means,
  selector: { failures: { routeName: "pr-to-board" } },
  ...replayDefaults,
  createdAt: "2026-11-18T09:45:00.000Z",
  startedBy: "0123456789abcdef",
  total: 312,
  more: false,
  stage: 3,
  reached: 5,
  fine: 5,
  failed: 0,
  counts: { done: 4, deduplicated: 1 },
};

export const createReplay = endpoint({
  operationId: "create-replay",
  method: "POST",
  path: "v1/replays",
  role: "operator",
  tag,
  summary: "Does again what failed, or what came in: first as a dry run, then for real",
  description:
    "Takes exactly one of `failureIds`, `failures` and `events`. Unless `dryRun` is `false` nothing is sent and nothing " +
    "written: the answer says of each item what would become of it, and which request would be sent. A real run is done " +
    "behind the answer, the oldest first, in stages that grow as long as they go well, and is audited as `replay.start`.",
  body: {
    ...typed<NewReplay>(newReplay),
    example: { failures: { routeName: "pr-to-board", classification: "Auth" }, dryRun: true },
  },
  responses: {
    200: {
      description: "The dry run.",
      schema: dryRun,
      example: {
        dryRun: true,
        items: [
          {
            failureId,
            verdict: "would-run",
            detail: verdicts["would-run"].says,
            works: [],
          },
        ],
        summary: { "would-run": 1 },
        more: false,
      },
    },
    202: {
      description: "The replay that was started.",
      schema: replay,
      example: { ...replayExample, state: "Pending", means: replayMachine.states.Pending.means },
      headers: { location: "Where to see how far it is." },
    },
  },
  faults: ["not-found"],
  // A dry run leaves no trace; a real one is audited by its handler.
  audit: "changes-nothing",
});

export const listReplays = endpoint({
  operationId: "list-replays",
  method: "GET",
  path: "v1/replays",
  role: "viewer",
  tag,
  summary: "Lists the tenant's replays, the newest first",
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "A page of them.",
      schema: pageSchema("ReplayPage", replay),
      example: { items: [replayExample] },
    },
  },
});

export const readReplay = endpoint({
  operationId: "read-replay",
  method: "GET",
  path: "v1/replays/{replayId}",
  role: "viewer",
  tag,
  summary: "Shows how far a replay is",
  params: { replayId },
  responses: { 200: { description: "The replay.", schema: replay, example: replayExample } },
});

export const listReplayItems = endpoint({
  operationId: "list-replay-items",
  method: "GET",
  path: "v1/replays/{replayId}/items",
  role: "viewer",
  tag,
  summary: "Lists what a replay is about and what became of it, in the order it is done",
  params: { replayId },
  query: typed<FromSchema<typeof listQuery>>(listQuery),
  responses: {
    200: {
      description: "A page of them.",
      schema: pageSchema("ReplayItemPage", replayItem),
      example: { items: [{ failureId, outcome: "done", detail: outcomes.done.says }] },
    },
  },
});

export const cancelReplay = endpoint({
  operationId: "cancel-replay",
  method: "POST",
  path: "v1/replays/{replayId}/cancel",
  role: "operator",
  tag,
  summary: "Calls a replay off",
  description:
    "What it has not reached goes back to where it was. A step that is under way is finished first.",
  params: { replayId },
  responses: {
    202: {
      description: "It ends at its next step.",
      schema: replay,
      example: { ...replayExample, cancelledBy: "0123456789abcdef" },
    },
  },
  faults: ["conflict"],
  audit: { action: "replay.cancel", target: "replays/{replayId}" },
});
