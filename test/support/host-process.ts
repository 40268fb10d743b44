import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { fixtureApp } from "./fixture-app.ts";

interface ProcessOptions {
  readonly dataDir: string;
  /** Whether it can be told to die at a commit, or at which one it dies without being told. */
  readonly kills?: boolean | { readonly number: number; readonly moment: "before" | "after" };
  readonly settings?: Readonly<Record<string, string>>;
  readonly hub?: { readonly durability?: "power" | "process"; readonly rotateAtBytes?: number };
}

export type Told =
  | { readonly kind: "ready"; readonly url: string; readonly leads: boolean }
  | { readonly kind: "leading" }
  | { readonly kind: "report"; readonly name: string; readonly detail?: string }
  | { readonly kind: "finished"; readonly id: string; readonly status: string; readonly output: unknown }
  | { readonly kind: "log" | "fatal" }
  | { readonly kind: "exit"; readonly signal: string | null };

type Of<Kind extends Told["kind"]> = Extract<Told, { kind: Kind }>;

/** A host in a process of its own, which can be killed; what it tells is kept until it is asked for. */
export class HostProcess {
  readonly told: Told[] = [];
  readonly #child: ChildProcess;
  #waiting: (() => void)[] = [];

  constructor(options: ProcessOptions) {
    const scriptRoot = fixtureApp("durable-processes");
    this.#child = fork(join(scriptRoot, "child-host.mjs"), [JSON.stringify({ scriptRoot, ...options })]);
    this.#child.on("message", (message) => this.#hear(message as Told));
    // Not "exit": what it said before it died may still be on the way then.
    this.#child.on("close", (_, signal) => this.#hear({ kind: "exit", signal }));
  }

  /** Resolves with the first thing of that kind it tells, or has told. */
  async hears<Kind extends Told["kind"]>(
    kind: Kind,
    wanted: (told: Of<Kind>) => boolean = () => true,
  ): Promise<Of<Kind>> {
    const found = await this.#first(
      (told) => told.kind === "exit" || (told.kind === kind && wanted(told as Of<Kind>)),
    );
    if (found.kind !== kind) throw new Error(`Died before it said '${kind}'`);
    return found as Of<Kind>;
  }

  /** Resolves when the orchestration has finished or the host has died, whichever comes first. */
  async finishesOrDies(id: string): Promise<"finished" | "died"> {
    const { kind } = await this.#first(
      (told) => told.kind === "exit" || (told.kind === "finished" && told.id === id),
    );
    return kind === "exit" ? "died" : "finished";
  }

  reports(name: string): string[] {
    return this.told.flatMap((told) =>
      told.kind === "report" && told.name === name ? [told.detail ?? ""] : [],
    );
  }

  tell(message: object): void {
    // One that has died needs to be told nothing.
    this.#child.send(message, () => {});
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill("SIGKILL");
    await once(this.#child, "close");
  }

  async #first(wanted: (told: Told) => boolean): Promise<Told> {
    for (;;) {
      const found = this.told.find(wanted);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #hear(told: Told): void {
    this.told.push(told);
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
