import { readFlags } from "../process/flags.ts";
import { StartError } from "../start-error.ts";
import type { SavedConnection } from "./read-files.ts";
import type { HmacSettings } from "./vendor.ts";
import { isVendorName, type VendorName, vendorNames, vendors } from "./vendors.ts";

export interface SendCommand {
  readonly vendor: VendorName;
  readonly hook: URL;
  readonly secret: string;
  /** Undefined: as the example of a generic connection has it. */
  readonly hmacSettings: HmacSettings | undefined;
  readonly event: string;
  /** A file to send instead of a sample. */
  readonly file: string | undefined;
  /** The same delivery every time; undefined: another one each time. */
  readonly deliveryId: string | undefined;
  readonly times: number;
  readonly atOnce: boolean;
  readonly tamper: boolean;
}

export const secretVariable = "INTERLOCK_HOOK_SECRET";

export const usage = `Signs a webhook as the vendor does and sends it.

Usage: npm run send -- <vendor> --connection FILE [options]
       npm run send -- <vendor> --hook URL --secret TEXT [options]

  --connection FILE   what the API answered when the connection was made, saved: it has all that is needed
  --hook URL          'hookUrl' of the connection
  --secret TEXT       its secret; or set ${secretVariable}, which no shell history keeps
  --event NAME        which sample; the first of those below without it
  --file FILE         sends this JSON instead of a sample; github then takes its event from --event
  --id ID             the id of the delivery: the same one again makes a redelivery
  --times N           sends N of them, one after the other; the same one N times with --id
  --at-once           sends them all at the same time
  --tamper            changes one byte after signing
  --help, -h          this text

Vendors and their samples:

${vendorNames.map((name) => `  ${name.padEnd(18)}${Object.keys(vendors[name].samples).join(", ")}`).join("\n")}
`;

const options = {
  connection: { type: "string" },
  hook: { type: "string" },
  secret: { type: "string" },
  event: { type: "string" },
  file: { type: "string" },
  id: { type: "string" },
  times: { type: "string", default: "1" },
  "at-once": { type: "boolean", default: false },
  tamper: { type: "boolean", default: false },
} as const;

/** Throws a `StartError` that says what to mend. What is typed goes before what is saved. */
export function readSendCommand(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  readConnection: (path: string) => SavedConnection,
): SendCommand {
  const [vendor = "", ...rest] = argv;
  if (!isVendorName(vendor)) {
    const said = vendor === "" || vendor.startsWith("-") ? "" : `, not '${vendor}'`;
    throw new StartError(`Name the vendor first${said}: ${vendorNames.join(", ")}. Try --help`);
  }
  const flags = readFlags(rest, options);
  const connection = flags.connection === undefined ? {} : readConnection(flags.connection);
  const secret = flags.secret ?? environment[secretVariable] ?? connection.secret ?? "";
  if (secret === "") {
    throw new StartError(`The connection's secret is missing: --secret, or the variable ${secretVariable}`);
  }
  return {
    vendor,
    hook: readHook(flags.hook ?? connection.hookUrl ?? ""),
    secret,
    hmacSettings: connection.schemeConfig,
    event: readEvent(vendor, flags.event, flags.file),
    file: flags.file,
    deliveryId: flags.id,
    times: readTimes(flags.times),
    atOnce: flags["at-once"],
    tamper: flags.tamper,
  };
}

function readHook(text: string): URL {
  if (text === "") throw new StartError("The hook's address is missing: --hook, or --connection. Try --help");
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
  if (/^\d+$/.test(text) && times >= 1 && times <= 10_000) return times;
  throw new StartError(`--times takes a number from 1 to 10000, not '${text}'`);
}
