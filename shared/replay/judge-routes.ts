import type { PinnedConfig } from "../config/config-cache.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { findFailure } from "../ledgers/failures.ts";
import { matchRoutes, type SkipReason } from "../routing/match.ts";
import { workItemOf } from "../routing/route-event.ts";
import type { WorkItem } from "../work/work-item.ts";
import { attemptAfter } from "./attempt-after.ts";
import { judgeStanding } from "./judge-standing.ts";
import { judgeWork, plain } from "./judge-work.ts";
import type { JudgedWork, Judging } from "./judged.ts";
import type { Verdict } from "./verdicts.ts";

const skipVerdicts: Readonly<Record<SkipReason, Verdict>> = {
  DISABLED: "route-disabled",
  FILTERED: "filtered",
  SHADOWED: "filtered",
};

/** What routing the event again would lead to: one work for each route that matches, run or not. */
export async function judgeRoutes(
  judging: Judging,
  published: Envelope,
  loaded: Envelope,
): Promise<readonly JudgedWork[]> {
  const { services, tenantId } = judging;
  const config = await services.configs.current(tenantId);
  if (config === undefined) return [];
  const { chosen, skipped, missing } = matchRoutes(config.config, loaded, loaded.data);
  const isMeant = (routeName: string): boolean =>
    judging.routeName === undefined || judging.routeName === routeName;
  const itemFor = (routeName: string, subscriptionName?: string): WorkItem =>
    workItemOf(published, routeName, config.hash, judging.now, subscriptionName);
  const works = chosen
    .filter(({ route }) => isMeant(route.routeName))
    .map(({ route, subscriptionName }) =>
      judgeAgain(judging, config, itemFor(route.routeName, subscriptionName), loaded),
    );
  const others = [
    ...skipped.map(({ routeName, reason, subscriptionName }) =>
      plain(itemFor(routeName, subscriptionName), skipVerdicts[reason], skipDetails[reason]),
    ),
    ...missing.map(({ routeName, subscriptionName }) =>
      plain(itemFor(routeName, subscriptionName), "route-missing"),
    ),
  ];
  return [...(await Promise.all(works)), ...others.filter(({ item }) => isMeant(item.routeName))];
}

const skipDetails: Readonly<Record<SkipReason, string | undefined>> = {
  DISABLED: undefined,
  FILTERED: "Its filters do not hold for this event.",
  SHADOWED: "Another route with the same action and target comes before it.",
};

/** Work that has failed before goes on where it was left: its attempts are counted from there. */
async function judgeAgain(
  judging: Judging,
  config: PinnedConfig,
  item: WorkItem,
  loaded: Envelope,
): Promise<JudgedWork> {
  const { services, tenantId } = judging;
  const failure = await findFailure(services.failures.failures, tenantId, item.workId);
  if (failure === undefined) return judgeWork(judging, { item, loaded, config });
  const next = attemptAfter(failure, item);
  const standing = await judgeStanding(judging, failure);
  // A work whose failure was overcome is in the ledger, where it shows when and what was done.
  if (standing !== undefined && standing.verdict !== "resolved-already") {
    return plain(next, standing.verdict, standing.detail);
  }
  return judgeWork(judging, { item: next, loaded, config });
}
