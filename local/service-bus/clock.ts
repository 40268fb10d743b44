/** Time as every part of the server sees it, so that a test can move it instead of waiting for it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Runs `wake` once, at or after `time`; the function it returns calls that off. */
  at(time: number, wake: () => void): () => void;
}

/** Node fires timers beyond 2^31 ms at once, so a far alarm is reached in hops. */
const longestTimerMs = 2_000_000_000;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(time, wake) {
    let timer: NodeJS.Timeout | undefined;
    const arm = (): void => {
      const wait = Math.max(0, time - Date.now());
      timer = setTimeout(() => (Date.now() >= time ? wake() : arm()), Math.min(wait, longestTimerMs));
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
};

export interface ManualClock extends Clock {
  /** Moves time forward and runs, in order, everything that has become due. */
  advance(milliseconds: number): void;
}

/** A clock that stands still until it is told to move. */
export function manualClock(start: number): ManualClock {
  let now = start;
  let alarms: { readonly time: number; readonly wake: () => void }[] = [];

  return {
    now: () => now,
    at(time, wake) {
      const alarm = { time, wake };
      alarms.push(alarm);
      return () => {
        alarms = alarms.filter((other) => other !== alarm);
      };
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const next = alarms
          .filter(({ time }) => time <= end)
          .reduce<(typeof alarms)[number] | undefined>(
            (first, alarm) => (first && first.time <= alarm.time ? first : alarm),
            undefined,
          );
        if (!next) break;
        alarms = alarms.filter((alarm) => alarm !== next);
        now = Math.max(now, next.time);
        next.wake();
      }
      now = end;
    },
  };
}
