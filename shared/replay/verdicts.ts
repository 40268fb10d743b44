interface Row {
  readonly says: string;
  /** What a real run does with it: does the work, or leaves it where it was. */
  readonly runs: boolean;
}

/**
 * What a replay would do with an item. Of an item that means several pieces of work the first verdict in this order
 * speaks for all. docs/runbooks/replay.md explains each.
 */
export const verdicts = {
  "would-run": { says: "It would be done.", runs: true },
  "in-doubt": { says: "An earlier attempt may have happened: the vendor would be asked first.", runs: true },
  busy: { says: "Somebody is at it at this moment; it would wait for the outcome.", runs: true },
  "dedupe-hit": { says: "It has been done: nothing would be sent, and the failure resolved.", runs: true },
  stale: { says: "A newer event of the object was applied: nothing would be sent.", runs: true },
  "payload-changed": { says: "What is stored is not what failed; it is not touched.", runs: false },
  "would-fail": { says: "It would fail again before anything is sent.", runs: false },
  "route-paused": { says: "The route is paused.", runs: false },
  "route-disabled": { says: "The route is disabled.", runs: false },
  "route-missing": { says: "There is no such route in the configuration.", runs: false },
  filtered: { says: "A filter, or a route that comes first, keeps the event from the route.", runs: false },
  unmatched: { says: "The configuration has no route for the event.", runs: false },
  taken: { says: "Another replay has it, or its next attempt is due anyway.", runs: false },
  gone: { says: "What it was made of is not stored any more.", runs: false },
  "resolved-already": { says: "The failure has been overcome.", runs: false },
} as const satisfies Record<string, Row>;

export type Verdict = keyof typeof verdicts;

export const verdictNames = Object.keys(verdicts).filter(isVerdict);

export function isVerdict(text: string): text is Verdict {
  return Object.hasOwn(verdicts, text);
}

/** The one that speaks for all; `none` where there are none. */
export function leading(found: readonly Verdict[], none: Verdict): Verdict {
  return verdictNames.find((verdict) => found.includes(verdict)) ?? none;
}
