import { replaysTable } from "../ledgers/replays.ts";
import type { RequestPreview } from "../operations/operation.ts";
import type { Services } from "../services.ts";
import { judge } from "./judge.ts";
import type { Judged, JudgedWork } from "./judged.ts";
import { routeOf, runningReplays } from "./replay-context.ts";
import { selectPage } from "./select.ts";
import type { ConfigChoice, Selected, Selector } from "./selector.ts";
import { someAtATime } from "./some-at-a-time.ts";
import { type Verdict, verdicts } from "./verdicts.ts";

export interface DryRun {
  readonly items: readonly object[];
  /** How many of the items there are of each verdict. */
  readonly summary: Readonly<Partial<Record<Verdict, number>>>;
  /** Where the next page begins; absent when there is no more. */
  readonly after?: string;
}

const atATime = 16;

/** What a replay would do, item by item, without doing any of it: nothing is written anywhere. */
export async function dryRun(
  services: Services,
  tenantId: string,
  selector: Selector,
  config: ConfigChoice,
  now: Date,
  limit: number,
  after?: string,
): Promise<DryRun> {
  const replays = await services.platform.table(replaysTable);
  const isRunning = runningReplays(replays, tenantId);
  const judging = { services, tenantId, config, now, isRunning, ...routeOf(selector) };
  const page = await selectPage(services, tenantId, selector, now, limit, after);
  const judged = await someAtATime(page.items, atATime, (selected) => judge(judging, selected));
  const summary: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of judged) summary[verdict] = (summary[verdict] ?? 0) + 1;
  const items = page.items.map((selected, index) => shownItem(selected, judged[index]));
  return { items, summary, ...(page.after === undefined ? {} : { after: page.after }) };
}

function shownItem({ kind: _, ...selected }: Selected, judged: Judged | undefined): object {
  const { event, failure, verdict = "gone", detail, works = [] } = judged ?? {};
  return {
    ...selected,
    ...(failure === undefined ? {} : { state: failure.state, correlationId: failure.correlationId }),
    ...(event === undefined
      ? {}
      : {
          eventId: event.id,
          correlationId: event.correlationid,
          subject: event.type,
          objectType: event.objecttype,
          objectId: event.objectid,
        }),
    verdict,
    detail: detail ?? verdicts[verdict].says,
    works: works.map(shownWork),
  };
}

function shownWork({ item, verdict, detail, request, changes, done }: JudgedWork): object {
  return {
    workId: item.workId,
    routeName: item.routeName,
    attempt: item.attempt,
    verdict,
    detail: detail ?? verdicts[verdict].says,
    ...(request === undefined ? {} : { request: shownRequest(request) }),
    ...(changes === undefined ? {} : { changes }),
    ...(done === undefined ? {} : { done }),
  };
}

const longestBody = 8000;

function shownRequest(request: RequestPreview): object {
  const { body } = request;
  if (body === undefined || body.length <= longestBody) return request;
  return { ...request, body: body.slice(0, longestBody), bodyLength: body.length };
}
