import type { HostedFunction } from "../functions.ts";
import type { Invoker } from "../invoker.ts";
import { messageOf } from "../../start-error.ts";
import type { OrchestratorState } from "./actions.ts";
import { eventType, type HistoryEvent } from "./history.ts";
import { httpPollIntervalMs } from "./http-poll.ts";
import type { Orchestration } from "./instance.ts";
import { timerLimits } from "./replay.ts";
import { formatTimeSpan } from "../config/json-file.ts";

/** Where the SDK puts its state into the message of the error by which it reports a failed orchestrator. */
const stateMark = "\n\n$OutOfProcData$:";

/** The replay schema announced to the SDK: V4, which knows entity locks. Its numbers start at 0. */
const schemaVersion = 3;

interface PlayedText {
  readonly executionId: string;
  readonly count: number;
  readonly text: string;
}

/** A history only grows, so the text of what was played before is kept and added to. */
const playedTexts = new WeakMap<Orchestration, PlayedText>();

export async function callOrchestrator(
  invoker: Invoker,
  fn: HostedFunction,
  instance: Orchestration,
  history: readonly HistoryEvent[],
  newFrom: number,
): Promise<OrchestratorState> {
  const result = await invoker.invoke(fn, {
    reason: `(null)`,
    data: { string: orchestrationTrigger(instance, history, newFrom) },
    triggerMetadata: { instanceId: { string: instance.id } },
    describeError: (error) => messageOf(error).split(stateMark, 1)[0] ?? "",
  });
  if (result.kind === "succeeded") return readState(result.response.returnValue?.json);
  const message = messageOf(result.error);
  const at = message.indexOf(stateMark);
  if (at === -1) throw result.error;
  const state = readState(message.slice(at + stateMark.length));
  // The SDK leaves an empty message out, and the platform would then wait for more forever.
  return { ...state, error: state.error ?? "it threw an error without a message" };
}

function readState(json: string | undefined): OrchestratorState {
  if (json === undefined) throw new Error("The orchestrator function gave no state back.");
  const state = JSON.parse(json) as OrchestratorState;
  if (!Array.isArray(state.actions))
    throw new Error("The orchestrator function gave back no list of actions.");
  return state;
}

function orchestrationTrigger(
  instance: Orchestration,
  history: readonly HistoryEvent[],
  newFrom: number,
): string {
  const started = history.find((event) => event.EventType === eventType.ExecutionStarted);
  const input = started === undefined ? instance.input : started.Input;
  const rest = JSON.stringify({
    instanceId: instance.id,
    isReplaying: newFrom > 0,
    parentInstanceId: instance.parent?.instanceId ?? null,
    upperSchemaVersion: 1,
    upperSchemaVersionNew: schemaVersion,
    longRunningTimerIntervalDuration: formatTimeSpan(timerLimits.legMs),
    maximumShortTimerDuration: formatTimeSpan(timerLimits.longestMs),
    defaultHttpAsyncRequestSleepTimeMillseconds: httpPollIntervalMs,
  }).slice(1);
  const played = playedText(instance, history, newFrom);
  const news = history
    .slice(newFrom)
    .map((event) => eventText(event, false))
    .join(",");
  const events = played === "" ? news : `${played},${news}`;
  return `{"history":[${events}],"input":${input ?? "null"},${rest}`;
}

function playedText(instance: Orchestration, history: readonly HistoryEvent[], upTo: number): string {
  const held = playedTexts.get(instance);
  const usable = held?.executionId === instance.executionId && held.count <= upTo ? held : undefined;
  const added = history.slice(usable?.count ?? 0, upTo).map((event) => eventText(event, true));
  const text = [...(usable === undefined || usable.text === "" ? [] : [usable.text]), ...added].join(",");
  playedTexts.set(instance, { executionId: instance.executionId, count: upTo, text });
  return text;
}

function eventText(event: HistoryEvent, played: boolean): string {
  return `${JSON.stringify(event).slice(0, -1)},"IsPlayed":${played}}`;
}
