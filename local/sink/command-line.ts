import { readFlags, readPort } from "../process/flags.ts";
import { StartError } from "../start-error.ts";
import type { Behaviour } from "./effects.ts";

export interface SinkCommand extends Behaviour {
  readonly port: number;
  readonly delayMs: number;
}

export const usage = `Runs a vendor to send to: prints every request it gets and answers with the id of what it has done.
A request with an Idempotency-Key it has seen is answered as the first one was, and nothing is done again.

Usage: npm run sink -- [options]

  --port N        where to listen on 127.0.0.1; 0 for any free port   (9000)
  --fail N        answers the first N requests with 503               (0)
  --status CODE   answers with this status instead of 200
  --delay MS      waits so long before each answer                    (0)
  --help, -h      this text
`;

/** Throws a `StartError` that says what to mend. */
export function readSinkCommand(argv: readonly string[]): SinkCommand {
  const flags = readFlags(argv, {
    port: { type: "string", default: "9000" },
    fail: { type: "string", default: "0" },
    status: { type: "string", default: "200" },
    delay: { type: "string", default: "0" },
  });
  return {
    port: readPort("--port", flags.port),
    failFirst: readNumber("--fail", flags.fail, 0, 1_000_000),
    status: readNumber("--status", flags.status, 200, 599),
    delayMs: readNumber("--delay", flags.delay, 0, 600_000),
  };
}

function readNumber(flag: string, text: string, from: number, to: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= from && number <= to) return number;
  throw new StartError(`${flag} takes a number from ${from} to ${to}, not '${text}'`);
}
