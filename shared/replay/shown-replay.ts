import type { ReplayItem } from "../ledgers/replay-items.ts";
import type { Replay } from "../ledgers/replays.ts";
import { countsAs, outcomes } from "./outcomes.ts";
import type { Selector } from "./selector.ts";
import { replayMachine } from "./states.ts";
import { verdicts } from "./verdicts.ts";

/** A replay as the API shows it. */
export function shownReplay(replay: Replay): object {
  const { tenantId: _, settings, progress, createdBy, selector, ...shown } = replay;
  const { counts, total, more, stage } = progress;
  return {
    ...shown,
    means: replayMachine.states[replay.state].means,
    selector: shortened(selector),
    ...settings,
    startedBy: createdBy,
    total,
    more,
    stage,
    reached: Object.values(counts).reduce((sum, count) => sum + count, 0),
    fine: countsAs(counts, "fine"),
    failed: countsAs(counts, "failed"),
    counts,
  };
}

const shownIds = 50;

/** Of many ids the first are shown; `replays/{replayId}/items` has them all. */
function shortened(selector: Selector): Selector {
  if ("failureIds" in selector) return { failureIds: selector.failureIds.slice(0, shownIds) };
  if ("failures" in selector || selector.events.eventIds === undefined) return selector;
  const { eventIds, ...rest } = selector.events;
  return { events: { ...rest, eventIds: eventIds.slice(0, shownIds) } };
}

export function shownItem(item: ReplayItem): object {
  const { selected, outcome, verdict, detail, doneAt, works } = item;
  const { kind: _, ...named } = selected;
  const says = outcome === "skipped" && verdict !== undefined ? verdicts[verdict].says : undefined;
  return {
    ...named,
    outcome: outcome ?? "not-reached",
    detail:
      detail ?? says ?? (outcome === undefined ? "The replay has not come to it." : outcomes[outcome].says),
    ...(verdict === undefined ? {} : { verdict }),
    ...(doneAt === undefined ? {} : { doneAt }),
    ...(works === undefined ? {} : { works }),
  };
}
