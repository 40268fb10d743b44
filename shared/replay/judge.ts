import type { Envelope } from "../envelope/envelope.ts";
import { isEnvelope } from "../envelope/read-envelope.ts";
import { findEventById } from "../events/find-event.ts";
import { genericSubjectPrefix } from "../ingest/make-envelope.ts";
import { type Failure, findFailure } from "../ledgers/failures.ts";
import { findWebhook } from "../ledgers/inbox.ts";
import { matchRoutes } from "../routing/match.ts";
import { readWorkItem } from "../work/read-work-item.ts";
import type { WorkItem } from "../work/work-item.ts";
import { attemptAfter } from "./attempt-after.ts";
import { checkPayload, hashOf, storedBytes } from "./check-payload.ts";
import { judgeRoutes } from "./judge-routes.ts";
import { judgeStanding } from "./judge-standing.ts";
import { judgeWork, plain } from "./judge-work.ts";
import type { Judged, JudgedWork, Judging } from "./judged.ts";
import { eventAsPublished, eventByNormaliser, isGeneric } from "./rebuild-event.ts";
import type { Selected } from "./selector.ts";
import { leading, type Verdict } from "./verdicts.ts";

/** What a replay would do with one of the things it is about. Reads, and changes nothing. */
export async function judge(judging: Judging, selected: Selected): Promise<Judged> {
  const { services, tenantId } = judging;
  if (selected.kind === "event") return judgeEvent(judging, await webhookOf(judging, selected));
  const failure = await findFailure(services.failures.failures, tenantId, selected.failureId);
  if (failure === undefined) return nothing("gone", "There is no such failure any more.");
  return { ...(await judgeFailure(judging, failure)), failure };
}

async function judgeFailure(judging: Judging, failure: Failure): Promise<Judged> {
  const standing = await judgeStanding(judging, failure);
  if (standing !== undefined) return { ...nothing(standing.verdict), ...standing };
  if (failure.origin === "ingest") return judgeWebhook(judging, failure.failureId, "publishing");
  const held = parsed(failure.workItem);
  const item = readWorkItem(held);
  const envelope = item?.envelope ?? (isEnvelope(held) ? held : undefined);
  // What names another tenant, or is no event at all, came onto the bus from elsewhere.
  if (envelope?.tenantid !== judging.tenantId)
    return nothing("gone", "The message held no event of this tenant.");
  // The dispatcher could not take it: what is replayed is the event it would have made.
  if (item === undefined && envelope.type.startsWith(genericSubjectPrefix)) {
    return judgeWebhook(judging, envelope.correlationid, "work");
  }
  const check = await checkPayload(judging.services, envelope, failure.payloadHash);
  if (check.kind === "gone") return nothing("gone");
  if (check.kind === "changed") return { ...nothing("payload-changed", check.detail), event: bare(envelope) };
  const unverified = check.verified
    ? undefined
    : "The raw webhook is gone: the event is as the failure kept it.";
  if (item === undefined || isUnmatched(failure, item)) {
    const works = await judgeRoutes(judging, envelope, check.loaded);
    return { ...routed(envelope, works, unverified), published: envelope };
  }
  const work = await judgeRouted(judging, attemptAfter(failure, item), check.loaded);
  return routed(envelope, [work], work.detail ?? unverified);
}

/** Kept because no route wanted it: it is not a route's failure, but that of having none. */
function isUnmatched({ code, routeName }: Failure, item: WorkItem): boolean {
  return code === "CONFIG_MISSING" && routeName === "unmatched" && item.subscriptionName === undefined;
}

/** Work of a route. By the current configuration it must still be the route for the event. */
async function judgeRouted(judging: Judging, item: WorkItem, loaded: Envelope): Promise<JudgedWork> {
  const { configs } = judging.services;
  const failedWith = await configs.version(judging.tenantId, item.configHash);
  const config = judging.config === "pinned" ? failedWith : await configs.current(judging.tenantId);
  if (config === undefined) return plain(item, "route-missing");
  const before = failedWith === undefined ? {} : { failedWith };
  if (judging.config === "pinned") return judgeWork(judging, { item, loaded, config });
  const { chosen, skipped } = matchRoutes(config.config, loaded, loaded.data);
  const { subscriptionName: _, ...rest } = item;
  const match = chosen.find(({ route }) => route.routeName === item.routeName);
  const named = match?.subscriptionName === undefined ? {} : { subscriptionName: match.subscriptionName };
  const next: WorkItem = { ...rest, ...named, configHash: config.hash };
  if (match !== undefined) return judgeWork(judging, { item: next, loaded, config, ...before });
  const skip = skipped.find(({ routeName }) => routeName === item.routeName);
  if (skip?.reason === "DISABLED") return plain(item, "route-disabled");
  if (skip !== undefined) return plain(item, "filtered");
  const exists = config.config.routes.some(({ routeName }) => routeName === item.routeName);
  return exists
    ? plain(item, "unmatched", "By the current configuration the route is not for this event.")
    : plain(item, "route-missing");
}

/** Of an event that was named by its id alone it is looked for: it may have been made from another. */
async function webhookOf(
  { services, tenantId }: Judging,
  { eventId, correlationId }: Extract<Selected, { kind: "event" }>,
): Promise<string> {
  if (eventId !== correlationId) return correlationId;
  const found = await findEventById(services, tenantId, eventId);
  return found?.webhook.envelope.id ?? eventId;
}

/** An event is replayed from the webhook it came with; one in quarantine is its failure's business. */
async function judgeEvent(judging: Judging, correlationId: string): Promise<Judged> {
  const { failures } = judging.services.failures;
  const quarantine = await findFailure(failures, judging.tenantId, correlationId);
  if (quarantine?.origin !== "ingest" || quarantine.state === "Resolved") {
    return judgeWebhook(judging, correlationId, "work");
  }
  return nothing("would-fail", `The webhook is in quarantine: replay failure ${quarantine.failureId}.`);
}

/** A webhook as it came in: routed again, or read again if it was not understood then. */
async function judgeWebhook(judging: Judging, webhookId: string, by: Judged["by"]): Promise<Judged> {
  const { services, tenantId } = judging;
  const webhook = await findWebhook(services.tables.inbox, tenantId, webhookId);
  const body = webhook && (await storedBytes(services, webhook));
  if (webhook === undefined || body === undefined)
    return nothing("gone", "There is no raw webhook of that id.");
  const { envelope } = webhook;
  if (hashOf(body) !== envelope.payloadhash) {
    const detail = "The stored webhook does not have the hash it had when it came in.";
    return { ...nothing("payload-changed", detail), event: envelope };
  }
  const wasUnderstood = webhook.problem === undefined && !isGeneric(webhook);
  const rebuilt = wasUnderstood
    ? eventAsPublished(webhook, body)
    : await eventByNormaliser(services, webhook, body);
  if (rebuilt.kind === "unusable") return { ...nothing("would-fail", rebuilt.problem), event: envelope };
  const { published, loaded } = rebuilt;
  return { ...routed(published, await judgeRoutes(judging, published, loaded)), published, by };
}

function routed(envelope: Envelope, works: readonly JudgedWork[], detail?: string): Judged {
  const verdict = leading(
    works.map((work) => work.verdict),
    "unmatched",
  );
  return { verdict, works, by: "work", event: bare(envelope), ...(detail === undefined ? {} : { detail }) };
}

function nothing(verdict: Verdict, detail?: string): Judged {
  return { verdict, works: [], by: "work", ...(detail === undefined ? {} : { detail }) };
}

function bare({ data: _, ...event }: Envelope): Envelope {
  return event;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
