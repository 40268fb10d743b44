import { Cron } from "croner";

import { parseTimeSpan } from "../config/json-file.ts";
import type { Settings } from "../config/settings.ts";
import { StartError } from "../../start-error.ts";
import { plainCron } from "./ncrontab.ts";

export interface Schedule {
  readonly text: string;
  /** Cron follows the clock on the wall; an interval does not. */
  readonly adjustsForDst: boolean;
  /** Runs more than once a minute, which is too often to be worth keeping a record of. */
  readonly subMinute: boolean;
  /** The first occurrence later than `after`; undefined when there is none. */
  next(after: number): number | undefined;
}

/** Reads an NCRONTAB expression, or a time span such as `00:05:00` for a constant interval. */
export function parseSchedule(text: string, timeZone: string): Schedule {
  const interval = parseTimeSpan(text);
  return interval === undefined ? cronSchedule(text, timeZone) : constantSchedule(text, interval);
}

/** WEBSITE_TIME_ZONE, or UTC. */
export function scheduleTimeZone(settings: Settings): string {
  const zone = settings["WEBSITE_TIME_ZONE"];
  if (zone === undefined || zone === "") return "UTC";
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    throw new StartError(
      `WEBSITE_TIME_ZONE is '${zone}', which is no time zone: use an IANA name such as Europe/Berlin`,
    );
  }
}

function constantSchedule(text: string, interval: number): Schedule {
  if (interval <= 0) throw new StartError(`schedule '${text}' must be longer than nothing`);
  return {
    text,
    adjustsForDst: false,
    subMinute: interval < 60_000,
    next: (after) => after + interval,
  };
}

function cronSchedule(text: string, timezone: string): Schedule {
  const plain = plainCron(text);
  // NCRONTAB wants day of month and day of week both to fit, where cron is content with either.
  const cron = new Cron(plain, { timezone, mode: "6-part", domAndDow: true });
  const [second = "", ...rest] = plain.split(" ");
  return {
    text,
    adjustsForDst: true,
    subMinute: rest.every((field) => field === "*") && (second === "*" || second.includes(",")),
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
  };
}
