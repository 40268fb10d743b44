import type { HostedFunction } from "../functions.ts";
import type { HostContext } from "../host-context.ts";
import type { Level } from "../log.ts";
import { invokeWithRetry } from "../retry.ts";
import { messageOf } from "../../start-error.ts";
import type { TypedData } from "../worker/typed-data.ts";
import type { Schedule } from "./schedule.ts";
import { iso, type ScheduleStatus, type StatusStore } from "./status-store.ts";

/** What the platform shows for a time that has not come yet. */
const never = "0001-01-01T00:00:00+00:00";

interface Run {
  readonly reason: string;
  readonly isPastDue: boolean;
  /** Runs on the host's start and past-due ones are not of the schedule, so they do not wait for its next time. */
  readonly scheduled: boolean;
}

const scheduledRun: Run = { reason: "Timer fired", isPastDue: false, scheduled: true };

/** One timer function: when it runs next, and that it never runs twice at once. */
export class FunctionTimer {
  readonly fn: HostedFunction;
  readonly #context: HostContext;
  readonly #schedule: Schedule;
  readonly #store: StatusStore | undefined;
  #stopping = new AbortController();
  #status: ScheduleStatus | undefined;
  #cancel = (): void => {};
  /** The run under way and those behind it; undefined when there is none. */
  #turns: Promise<void> | undefined;

  constructor(context: HostContext, fn: HostedFunction, schedule: Schedule, store: StatusStore) {
    this.#context = context;
    this.fn = fn;
    this.#schedule = schedule;
    this.#store = fn.trigger["useMonitor"] === false || schedule.subMinute ? undefined : store;
  }

  start(): void {
    const now = this.#context.clock.now();
    this.#stopping = new AbortController();
    const status = this.#startStatus(now);
    if (status === undefined) return;
    this.#status = status;
    this.#log("Information", `Timer (${this.#schedule.text}) runs next at ${iso(status.next)}`);
    if (now > status.next) {
      this.#log("Information", "Timer is past due on startup. Executing now.");
      this.#run({ reason: "Timer past due", isPastDue: true, scheduled: false });
    } else if (this.fn.trigger["runOnStartup"] === true) {
      this.#run({ reason: "Timer runs on startup", isPastDue: false, scheduled: false });
    } else {
      this.#wait();
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#cancel();
    await this.#turns;
  }

  /** Runs the function now, beside its schedule; a run under way ends first. */
  fire(): Promise<void> {
    const run = { reason: "This function was programmatically called via the host APIs.", isPastDue: false };
    return this.#inTurn(() => this.#invoke(run));
  }

  /** A record made under another schedule is made anew, and is not past due: nobody was promised that time. */
  #startStatus(now: number): ScheduleStatus | undefined {
    const recorded = this.#store?.read(this.fn.name);
    const base = recorded?.last ?? recorded?.lastUpdated ?? now;
    const expected = this.#schedule.next(base);
    if (recorded !== undefined && recorded.next === expected) return recorded;
    const fresh = recorded !== undefined && expected !== undefined && now <= expected;
    const next = fresh ? expected : this.#schedule.next(now);
    if (next === undefined) return undefined;
    const status = { last: undefined, next, lastUpdated: fresh ? base : now };
    this.#save(status);
    return status;
  }

  #wait(): void {
    if (this.#status === undefined || this.#stopping.signal.aborted) return;
    const { clock } = this.#context;
    const time = Math.max(this.#status.next, clock.now());
    this.#cancel = clock.at(time, () => this.#run(scheduledRun));
  }

  #run(run: Run): void {
    const started = this.#context.clock.now();
    void this.#inTurn(async () => {
      await this.#invoke(run);
      // A run longer than its interval is followed at once by the one it delayed, and by that one only.
      const base = run.scheduled ? Math.max(started, this.#status?.next ?? started) : started;
      const next = this.#schedule.next(base);
      this.#status = next === undefined ? undefined : { last: base, next, lastUpdated: base };
      if (this.#status !== undefined) this.#save(this.#status);
      this.#wait();
    });
  }

  /** Starts at once when nothing runs, so that whoever moves the clock sees the run begin. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turns === undefined ? work() : this.#turns.then(work);
    const turn = done.finally(() => {
      if (this.#turns === turn) this.#turns = undefined;
    });
    this.#turns = turn;
    return turn;
  }

  /** A record that cannot be written costs a past-due run after a restart, not the schedule. */
  #save(status: ScheduleStatus): void {
    try {
      this.#store?.write(this.fn.name, status);
    } catch (error) {
      this.#log("Error", `The timer's status could not be written: ${messageOf(error)}`);
    }
  }

  async #invoke({ reason, isPastDue }: Pick<Run, "reason" | "isPastDue">): Promise<void> {
    const invocation = { reason, data: this.#data(isPastDue) };
    await invokeWithRetry(this.#context, this.fn, invocation, this.#stopping.signal);
  }

  #data(isPastDue: boolean): TypedData {
    const status = this.#store === undefined ? undefined : this.#status;
    const info = {
      Schedule: { AdjustForDST: this.#schedule.adjustsForDst },
      ScheduleStatus: status === undefined ? null : statusData(status),
      IsPastDue: isPastDue,
    };
    return { json: JSON.stringify(info) };
  }

  #log(level: Level, message: string): void {
    this.#context.log.write(level, `Function.${this.fn.name}`, message);
  }
}

function statusData({ last, next, lastUpdated }: ScheduleStatus): object {
  return { Last: last === undefined ? never : iso(last), LastUpdated: iso(lastUpdated), Next: iso(next) };
}
