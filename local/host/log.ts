import { styleText } from "node:util";

import { readableMessage } from "./readable-message.ts";

/** Levels in the words of host.json, least severe first. */
export const levels = ["Trace", "Debug", "Information", "Warning", "Error", "Critical", "None"] as const;
export type Level = (typeof levels)[number];

export interface LogLine {
  readonly time: string;
  readonly level: Level;
  /** As on the platform: `Host.Startup`, `Function.<name>`, `Function.<name>.User`. */
  readonly category: string;
  readonly message: string;
  readonly invocationId?: string;
}

export type LogSink = (line: LogLine) => void;

export interface HostLog {
  write(level: Level, category: string, message: string, invocationId?: string): void;
  enabled(level: Level, category: string): boolean;
}

/** `thresholds` is host.json's `logging.logLevel`; the longest matching category wins, then `default`. */
export function createLog(thresholds: Readonly<Record<string, Level>>, sink: LogSink): HostLog {
  const known = new Map<string, number>();
  const rankOf = (category: string): number => {
    let rank = known.get(category);
    if (rank === undefined) {
      rank = levels.indexOf(threshold(thresholds, category));
      known.set(category, rank);
    }
    return rank;
  };
  const enabled = (level: Level, category: string): boolean => levels.indexOf(level) >= rankOf(category);
  return {
    enabled,
    write(level, category, message, invocationId) {
      if (!enabled(level, category)) return;
      const line = { time: new Date().toISOString(), level, category, message };
      sink(invocationId === undefined ? line : { ...line, invocationId });
    },
  };
}

function threshold(thresholds: Readonly<Record<string, Level>>, category: string): Level {
  let best = "";
  for (const prefix of Object.keys(thresholds)) {
    const matches = category === prefix || category.startsWith(`${prefix}.`);
    if (matches && prefix.length > best.length) best = prefix;
  }
  return thresholds[best] ?? thresholds["default"] ?? "Information";
}

const colours: Partial<Record<Level, Parameters<typeof styleText>[0]>> = {
  Warning: "yellow",
  Error: "red",
  Critical: "red",
  Debug: "gray",
  Trace: "gray",
};

/** One line of text an event, coloured on a terminal, the way func prints it. */
export function readableSink(stream: NodeJS.WriteStream): LogSink {
  const coloured = stream.isTTY && process.env["NO_COLOR"] === undefined;
  const write = inOnePiece(stream);
  return ({ time, level, message }) => {
    const colour = coloured ? colours[level] : undefined;
    const text = readableMessage(message);
    const marked = level === "Information" || coloured ? text : `${level}: ${text}`;
    write(`[${time}] ${colour === undefined ? marked : styleText(colour, marked)}\n`);
  };
}

/** One JSON object a line, for machines. */
export function jsonSink(stream: NodeJS.WriteStream): LogSink {
  const write = inOnePiece(stream);
  return (line) => write(`${JSON.stringify(line)}\n`);
}

/** What is logged in one turn of the event loop is one write, which under load is most of what logging costs. */
function inOnePiece(stream: NodeJS.WriteStream): (text: string) => void {
  let waiting = "";
  const flush = (): void => {
    const text = waiting;
    waiting = "";
    if (text !== "") stream.write(text);
  };
  process.on("exit", flush);
  return (text) => {
    if (waiting === "") setImmediate(flush);
    waiting += text;
  };
}
