import { rawContainer, workQueue } from "./entities.ts";
import { apiKeysTable, findApiKey } from "./ledgers/api-keys.ts";
import { isStatus } from "./ledgers/storage-error.ts";
import type { Platform } from "./platform/platform.ts";
import { selfCheckInstanceId, selfCheckOrchestrator } from "./self-check.ts";

/** The part of a durable client a check needs. */
export interface OrchestrationStarter {
  startNew(name: string, options: { instanceId: string; input: unknown }): Promise<string>;
  getStatus(id: string): Promise<{ runtimeStatus: string }>;
}

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly tookMs: number;
  /** A code, not a message: those name addresses, which are for the log and not for whoever asks. */
  readonly problem?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly Check[];
}

const patienceMs = 10_000;
const pauseMs = 20;

/** Uses each service once, the cheapest way that shows it answers this app: reading what may well not be there. */
export async function checkAll(
  platform: Platform,
  client: OrchestrationStarter,
  log: (line: string) => void,
): Promise<Readiness> {
  const timed = (name: string, check: () => Promise<void>): Promise<Check> => runCheck(name, check, log);
  const checks = await Promise.all([
    timed("tables", async () => {
      await findApiKey(await platform.table(apiKeysTable), "readiness");
    }),
    timed("blobs", async () => {
      await (await platform.container(rawContainer)).getProperties();
    }),
    timed("bus", async () => {
      const bus = await platform.openBus();
      try {
        await bus.createReceiver(workQueue).peekMessages(1);
      } finally {
        await bus.close();
      }
    }),
    timed("vault", async () => {
      await (await platform.secrets()).getSecret("readiness").catch((error: unknown) => {
        if (!isStatus(error, 404)) throw error;
      });
    }),
    timed("orchestrations", () => checkOrchestrations(client)),
  ]);
  return { ready: checks.every(({ ok }) => ok), checks };
}

/** Two checks at a time share the one instance: either's answer speaks for both. */
async function checkOrchestrations(client: OrchestrationStarter): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  const start = { instanceId: selfCheckInstanceId, input: {} };
  await client.startNew(selfCheckOrchestrator, start).catch((error: unknown) => {
    if (!String(error).includes("already exists")) throw error;
  });
  for (;;) {
    const { runtimeStatus } = await client.getStatus(selfCheckInstanceId);
    if (runtimeStatus === "Completed") return;
    if (runtimeStatus === "Failed" || runtimeStatus === "Terminated") {
      throw new Error(`The self-check ended as ${runtimeStatus}`);
    }
    if (Date.now() > giveUpAt)
      throw new Error(`The self-check is still ${runtimeStatus} after ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** A check that hangs is as telling as one that fails. */
async function runCheck(
  name: string,
  check: () => Promise<void>,
  log: (line: string) => void,
): Promise<Check> {
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  let handle: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    handle = setTimeout(() => reject(new CheckTimeout(`no answer within ${patienceMs} ms`)), patienceMs);
  });
  try {
    await Promise.race([check(), late]);
    return { name, ok: true, tookMs: took() };
  } catch (error) {
    log(`${name} does not answer: ${error instanceof Error ? error.message : String(error)}`);
    return { name, ok: false, tookMs: took(), problem: codeOf(error) };
  } finally {
    clearTimeout(handle);
  }
}

class CheckTimeout extends Error {
  override readonly name = "timeout";
}

/** The SDKs put an HTTP status, a network code or one of their own on what they throw. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unexpected";
  if ("statusCode" in error && typeof error.statusCode === "number") return `status ${error.statusCode}`;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.name;
}
