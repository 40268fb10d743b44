/** A promise without a queue: settling it runs what waits at once, so a replay is one synchronous walk. */
export class SyncTask {
  #waiting: ((task: SyncTask) => void)[] = [];
  settled = false;
  failed = false;
  value: string | null = null;

  settle(failed: boolean, value: string | null = null): void {
    if (this.settled) return;
    this.settled = true;
    this.failed = failed;
    this.value = value;
    for (const run of this.#waiting.splice(0)) run(this);
  }

  whenSettled(run: (task: SyncTask) => void): void {
    if (this.settled) run(this);
    else this.#waiting.push(run);
  }
}

export function settledTask(): SyncTask {
  const task = new SyncTask();
  task.settle(false);
  return task;
}

export function whenAny(tasks: readonly SyncTask[]): SyncTask {
  const any = new SyncTask();
  for (const task of tasks) task.whenSettled(() => any.settle(false));
  return any;
}

/** The platform waits for all, whatever fails; the SDK's own notion gives up at the first failure. */
export function whenAll(tasks: readonly SyncTask[], failFast: boolean): SyncTask {
  const all = new SyncTask();
  let left = tasks.length;
  let failed = false;
  for (const task of tasks) {
    task.whenSettled(() => {
      failed ||= task.failed;
      left -= 1;
      if (left === 0 || (failFast && task.failed)) all.settle(failed);
    });
  }
  return all;
}
