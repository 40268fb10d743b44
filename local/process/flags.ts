import { parseArgs, type ParseArgsConfig } from "node:util";

import { messageOf, StartError } from "../start-error.ts";

type Options = NonNullable<ParseArgsConfig["options"]>;

/** What was typed. What cannot be understood is a `StartError` of one sentence. */
export function readFlags<const T extends Options>(
  argv: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<{ args: string[]; options: T }>>["values"] {
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    throw new StartError(`${flagProblem(error)}. Try --help`, { cause: error });
  }
}

/** What was wrong, without the advice that parseArgs adds to it. */
export function flagProblem(error: unknown): string {
  const message = messageOf(error);
  return message.split(/\.\s|\n/, 1)[0] ?? message;
}

export function readPort(flag: string, text: string): number {
  const port = Number(text);
  if (text !== "" && Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new StartError(`${flag} takes a number from 0 to 65535, not '${text}'`);
}
