import { readFlags } from "../process/flags.ts";
import { StartError } from "../start-error.ts";
import { isVendorName, type VendorName, vendorNames, vendors } from "./vendors.ts";

export interface SendCommand {
  readonly vendor: VendorName;
  readonly hook: URL;
  readonly secret: string;
  readonly event: string;
  /** A file to send instead of a sample. */
  readonly file: string | undefined;
  /** The same delivery every time; undefined: another one each time. */
  readonly deliveryId: string | undefined;
  readonly times: number;
  readonly atOnce: boolean;
  readonly tamper: boolean;
  /** The connection as it was sent to the API; undefined: the one of the examples. */
  readonly connectionFile: string | undefined;
}

export const secretVariable = "INTERLOCK_HOOK_SECRET";

export const usage = `Signs a webhook as the vendor does and sends it.

Usage: npm run send -- <vendor> --hook <hookUrl> --secret <secret> [options]

  --hook URL          'hookUrl' of the connection
  --secret TEXT       the connection's secret; or in the variable ${secretVariable}, which no shell history keeps
  --event NAME        which sample; the first of those below without it
  --file FILE         sends this JSON instead of a sample; --event then says what it is about (github)
  --id ID             the id of the delivery: the same one again makes a redelivery
  --times N           sends N of them, one after the other; N times the same one with --id
  --at-once           sends them all at the same time
  --tamper            changes one byte after signing
  --connection FILE   for generic: the connection as it was made, whose schemeConfig says how to sign
                      (docs/examples/generic-connection.json)
  --help, -h          this text

Vendors and their samples:

${vendorNames.map((name) => `  ${name.padEnd(18)}${Object.keys(vendors[name].samples).join(", ")}`).join("\n")}
`;

/** Throws a `StartError` that says what to mend. */
export function readSendCommand(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): SendCommand {
  const [vendor = "", ...rest] = argv;
  if (!isVendorName(vendor)) {
    const said = vendor === "" || vendor.startsWith("-") ? "" : `, not '${vendor}'`;
    throw new StartError(`Name the vendor first${said}: ${vendorNames.join(", ")}. Try --help`);
  }
  const flags = readFlags(rest, {
    hook: { type: "string" },
    secret: { type: "string" },
    event: { type: "string" },
    file: { type: "string" },
    id: { type: "string" },
    times: { type: "string", default: "1" },
    "at-once": { type: "boolean", default: false },
    tamper: { type: "boolean", default: false },
    connection: { type: "string" },
  });
  const secret = flags.secret ?? environment[secretVariable] ?? "";
  if (secret === "") {
    throw new StartError(`The connection's secret is missing: --secret, or the variable ${secretVariable}`);
  }
  return {
    vendor,
    hook: readHook(flags.hook),
    secret,
    event: readEvent(vendor, flags.event, flags.file),
    file: flags.file,
    deliveryId: flags.id,
    times: readTimes(flags.times),
    atOnce: flags["at-once"],
    tamper: flags.tamper,
    connectionFile: flags.connection,
  };
}

function readHook(text: string | undefined): URL {
  if (text === undefined || text === "") {
    throw new StartError("--hook URL is missing: it is the 'hookUrl' of a connection. Try --help");
  }
  if (URL.canParse(text) && /^https?:/.test(text)) return new URL(text);
  throw new StartError(`--hook takes the address of a hook, not '${text}'`);
}

/** With a file of one's own any event will do. */
function readEvent(vendor: VendorName, text: string | undefined, file: string | undefined): string {
  const known = Object.keys(vendors[vendor].samples);
  const event = text ?? known[0] ?? "";
  if (file !== undefined || known.includes(event)) return event;
  throw new StartError(`There is no sample '${event}' of ${vendor}; there are ${known.join(", ")}`);
}

function readTimes(text: string): number {
  const times = Number(text);
  if (/^\d+$/.test(text) && times >= 1 && times <= 100_000) return times;
  throw new StartError(`--times takes a number from 1 to 100000, not '${text}'`);
}
