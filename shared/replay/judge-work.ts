import type { PinnedConfig } from "../config/config-cache.ts";
import { effectiveRoute, type EffectiveRoute } from "../config/effective.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { ClassifiedError } from "../failures/classify.ts";
import { readObject } from "../ledgers/objects.ts";
import type { OperationInput, RequestPreview } from "../operations/operation.ts";
import { ledgerKeyOf } from "../routing/ledger-key.ts";
import { PayloadProblem } from "../sources/source.ts";
import type { WorkItem } from "../work/work-item.ts";
import { judgeByLedger } from "./judge-ledger.ts";
import type { JudgedWork, Judging } from "./judged.ts";
import { requestDiff } from "./request-diff.ts";
import { verdicts, type Verdict } from "./verdicts.ts";

export interface WorkToJudge {
  readonly item: WorkItem;
  /** The event with its data. */
  readonly loaded: Envelope;
  /** By which it would be done. */
  readonly config: PinnedConfig;
  /** By which it failed, where it did. */
  readonly failedWith?: PinnedConfig;
}

/** What would become of one piece of work, asked in the order in which doing it asks. */
export async function judgeWork(judging: Judging, work: WorkToJudge): Promise<JudgedWork> {
  const { item, loaded, config, failedWith } = work;
  const route = effectiveRoute(config.config, item.routeName);
  if (route === undefined) return plain(item, "route-missing");
  const halt = await whyNotRunning(judging, item);
  if (halt !== undefined) return plain(item, halt);
  const made = makeRequest(judging, route, item, loaded);
  if ("problem" in made) return plain(item, "would-fail", made.problem);
  const { key, request } = made;
  const before =
    failedWith && failedWith.hash !== config.hash ? requestBefore(judging, work, failedWith) : undefined;
  const shown = {
    request,
    ...(before === undefined ? {} : { changes: requestDiff(before.request, request) }),
  };
  if (await isStale(judging, route, item)) return { ...plain(item, "stale"), ...shown };
  const judged = await judgeByLedger(judging, route, item, key, before?.key);
  return { ...plain(item, judged.verdict), ...judged, ...shown };
}

export function plain(item: WorkItem, verdict: Verdict, detail?: string): JudgedWork {
  const action = verdicts[verdict].runs ? "execute" : "leave";
  return { item, verdict, action, ...(detail === undefined ? {} : { detail }) };
}

/** Whether a route runs is decided by what is current, whichever configuration the work is done with. */
async function whyNotRunning({ services, tenantId }: Judging, item: WorkItem): Promise<Verdict | undefined> {
  const current = await services.configs.current(tenantId);
  const now = current === undefined ? undefined : effectiveRoute(current.config, item.routeName);
  if (now?.enabled === false) return "route-disabled";
  return Object.hasOwn(await services.pauses(tenantId), item.routeName) ? "route-paused" : undefined;
}

interface Made {
  readonly key: string;
  readonly request: RequestPreview;
}

function makeRequest(
  { services, tenantId }: Judging,
  route: EffectiveRoute,
  item: WorkItem,
  loaded: Envelope,
): Made | { readonly problem: string } {
  try {
    const key = ledgerKeyOf(route, loaded, item.subscriptionName);
    const input: OperationInput = {
      tenantId,
      routeName: item.routeName,
      envelope: loaded,
      idempotencyKey: key,
      attempt: item.attempt,
    };
    return { key, request: services.bind(tenantId, route).preview(input) };
  } catch (error) {
    if (error instanceof PayloadProblem || error instanceof ClassifiedError)
      return { problem: error.message };
    throw error;
  }
}

/** Undefined where by that configuration there would have been none. */
function requestBefore(
  judging: Judging,
  { item, loaded }: WorkToJudge,
  failedWith: PinnedConfig,
): Made | undefined {
  const route = effectiveRoute(failedWith.config, item.routeName);
  const made = route && makeRequest(judging, route, item, loaded);
  return made === undefined || "problem" in made ? undefined : made;
}

async function isStale({ services }: Judging, route: EffectiveRoute, item: WorkItem): Promise<boolean> {
  if (!route.staleGuard) return false;
  const { appliedUntil } = await readObject(services.tables.objects, item);
  return appliedUntil !== undefined && appliedUntil > item.envelope.time;
}
