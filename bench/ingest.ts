/**
 * How many webhooks a second are accepted: GitHub's, 2 KB, signed, each once, by everything that `npm start` runs, with
 * what the same machine can do at all beside it.
 *
 *   npm run bench -- ingest                        1, 16 and 64 at a time
 *   npm run bench -- ingest --quick                a tenth of the webhooks
 *   npm run bench -- ingest --stored 1000,200000   the same with so many webhooks stored before
 *   npm run bench -- ingest --profile              and where the time of the host's process goes
 */
import { readArguments } from "./support/arguments.ts";
import { measureLimit } from "./support/limit.ts";
import { printRates } from "./support/print-rates.ts";
import { startVendor } from "./support/vendor-process.ts";

