import type { Level, LogLine, LogSink } from "../../local/host/log.ts";

interface Wanted {
  readonly level: Level;
  readonly category?: string;
  readonly text?: string;
}

/** Keeps what a host logs, and lets a test wait for a line. */
export class LogLines {
  readonly #lines: LogLine[] = [];
  #waiting: (() => void)[] = [];

  readonly sink: LogSink = (line) => {
    this.#lines.push(line);
    for (const wake of this.#waiting.splice(0)) wake();
  };

  matching({ level, category, text = "" }: Wanted): LogLine[] {
    return this.#lines.filter(
      (line) =>
        line.level === level &&
        (category === undefined || line.category === category) &&
        line.message.includes(text),
    );
  }

  async until(wanted: Wanted): Promise<void> {
    while (this.matching(wanted).length === 0) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
