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
    const [sentence] = messageOf(error).split(/\.\s|\n/, 1);
    throw new StartError(`${sentence}. Try --help`, { cause: error });
  }
}

export function readPort(flag: string, text: string): number {
  const port = Number(text);
  if (text !== "" && Number.isInteger(port) && port >= 0 && port < 65_536) return port;
  throw new StartError(`${flag} takes a number from 0 to 65535, not '${text}'`);
}
