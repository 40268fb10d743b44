import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";

/** A part of the stack in a process of its own, so that each can be killed and comes back without the others. */
export interface PartDefinition {
  readonly name: string;
  /** Built script, beside this one in dist. */
  readonly script: URL;
  readonly args: readonly string[];
  /** Of Node itself. */
  readonly execArgv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface PartEvents {
  /** Text the part writes, for the person at the terminal. */
  onOutput(name: string, text: string): void;
  onReady(name: string, tookMs: number, pid: number): void;
  /** It died without being asked to and is started again. */
  onRestart(name: string, why: string, inMs: number): void;
}

export class PartFailed extends Error {
  override readonly name = "PartFailed";
}

const firstPauseMs = 250;
const longestPauseMs = 10_000;
const killAfterMs = 15_000;

export class Part {
  readonly name: string;
  readonly #definition: PartDefinition;
  readonly #events: PartEvents;
  #child: ChildProcess | undefined;
  #stopping = false;
  #pause = firstPauseMs;
  #restart: NodeJS.Timeout | undefined;

  constructor(definition: PartDefinition, events: PartEvents) {
    this.name = definition.name;
    this.#definition = definition;
    this.#events = events;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Resolves when the part says it is ready; fails with its own words when it cannot start. */
  async start(): Promise<void> {
    const { script, args, env, execArgv = [] } = this.#definition;
    const began = performance.now();
    const child = fork(script, args, {
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, ...env },
      execArgv: [...process.execArgv, ...execArgv],
      // A Ctrl-C at the terminal is for this process to hear, which stops its parts in the right order.
      detached: process.platform !== "win32",
    });
    this.#child = child;
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        said = (said + text).slice(-2000);
        this.#events.onOutput(this.name, text);
      });
    }
    const ready = new Promise<void>((resolve) => {
      child.on("message", (message: { kind?: string; message?: string }) => {
        if (message.kind === "ready") resolve();
        if (message.kind === "refused" && message.message !== undefined) said = message.message;
      });
    });
    const ended = once(child, "close") as Promise<[number | null, string | null]>;
    const first = await Promise.race([ready, ended]);
    if (first !== undefined) throw new PartFailed(said.trim() || `${this.name} ended before it was ready`);
    void ended.then(([code, signal]) => this.#ended(code, signal));
    this.#events.onReady(this.name, performance.now() - began, child.pid ?? 0);
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill("SIGTERM");
    const force = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    await closed;
    clearTimeout(force);
  }

  #ended(code: number | null, signal: string | null): void {
    if (this.#stopping) return;
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, longestPauseMs);
    this.#events.onRestart(this.name, signal ?? `exit code ${code}`, pause);
    this.#restart = setTimeout(() => {
      this.start().then(
        () => {
          this.#pause = firstPauseMs;
        },
        () => this.#ended(1, null),
      );
    }, pause);
  }
}
