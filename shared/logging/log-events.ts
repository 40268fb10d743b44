/** Info: it happened. Warn: it will be tried again, or was refused. Error: a person must look; it names a runbook. */
type Level = "info" | "warn" | "error";

interface LogEvent {
  readonly level: Level;
  readonly message: string;
  readonly runbook?: string;
}

/** Every event the platform logs. Bodies and secrets have no field to go in. docs/logs.md is printed from this table. */
export const logEvents = {
  "webhook.accepted": { level: "info", message: "A webhook was stored and published." },
  "webhook.repeated": { level: "info", message: "A webhook came again and was answered as the first time." },
  "webhook.refused": { level: "warn", message: "A webhook was refused." },
  "webhook.answered": { level: "info", message: "A source that sets up its hook was answered." },
  "webhook.quarantined": {
    level: "error",
    message: "A signed webhook cannot be used; it is kept in quarantine.",
    runbook: "poison-message",
  },
  "event.unpublished": {
    level: "warn",
    message: "The bus did not take an event; the sweeper will publish it.",
  },
  "event.published-late": { level: "warn", message: "The sweeper published an event." },
  "event.dispatched": { level: "info", message: "A generic event was turned into a specific one." },
  "event.routed": { level: "info", message: "An event was given to its routes." },
  "event.unmatched": { level: "info", message: "No route matched an event." },
  "route.skipped": { level: "info", message: "A matching route did not run." },
  "route.paused": {
    level: "error",
    message: "A route was paused: too many of its items became dead letters.",
    runbook: "disable-route",
  },
  "config.diagnosed": { level: "warn", message: "The configuration of the routes is questionable." },
  "work.executed": { level: "info", message: "A side effect happened." },
  "work.deduplicated": { level: "info", message: "A side effect had happened before." },
  "work.stale": { level: "info", message: "An event older than what was applied was skipped." },
  "work.held": { level: "info", message: "Work was put into the backlog." },
  "work.postponed": { level: "info", message: "Work was put off: its turn has not come." },
  "work.in-doubt": { level: "warn", message: "An earlier attempt may have happened; the vendor was asked." },
  "work.retrying": { level: "warn", message: "An attempt failed and will be made again." },
  "work.lost-claim": { level: "warn", message: "Another process took over while this one was at work." },
  "work.parked": {
    level: "error",
    message: "Work was parked as a dead letter.",
    runbook: "replay",
  },
  "work.quarantined": {
    level: "error",
    message: "Work was quarantined: its data cannot be used.",
    runbook: "poison-message",
  },
  "backlog.drained": { level: "info", message: "Work that waited was put on the queue." },
  "bus.dead-lettered": {
    level: "error",
    message: "A message the bus gave up on was recorded as a dead letter.",
    runbook: "poison-message",
  },
  "replay.started": { level: "info", message: "A replay began." },
  "replay.stopped": {
    level: "error",
    message: "A replay stopped: too much of it failed.",
    runbook: "replay",
  },
  "replay.finished": { level: "info", message: "A replay came to its end." },
  "failure.resolved": { level: "info", message: "A failure was overcome." },
  "ledger.purged": { level: "info", message: "Rows past their retention were removed." },
  "request.failed": {
    level: "error",
    message: "A request failed in a way that has no name.",
    runbook: "unexpected-failure",
  },
  "sweep.failed": {
    level: "error",
    message: "A sweep failed; the next one takes up what is left.",
    runbook: "unexpected-failure",
  },
} as const satisfies Record<string, LogEvent>;

export type LogEventName = keyof typeof logEvents;
