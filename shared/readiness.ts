import { selfCheckInstanceId, selfCheckOrchestrator } from "./self-check.ts";

/** The part of a durable client a check needs. */
export interface OrchestrationStarter {
  startNew(name: string, options: { instanceId: string; input: unknown }): Promise<string>;
  getStatus(id: string): Promise<{ runtimeStatus: string; output: unknown }>;
}

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly tookMs: number;
  /** What was wrong and where to look; never an address or a secret. */
  readonly problem?: string;
}

export interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly Check[];
}

const patienceMs = 10_000;
const pauseMs = 20;

export async function checkAll(client: OrchestrationStarter): Promise<Readiness> {
  const checks = await Promise.all([timed("orchestrations", () => checkOrchestrations(client))]);
  return { ready: checks.every(({ ok }) => ok), checks };
}

/** Two checks at a time share the one instance: either's answer speaks for both. */
async function checkOrchestrations(client: OrchestrationStarter): Promise<void> {
  const giveUpAt = Date.now() + patienceMs;
  await client
    .startNew(selfCheckOrchestrator, { instanceId: selfCheckInstanceId, input: {} })
    .catch((error: unknown) => {
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

async function timed(name: string, check: () => Promise<void>): Promise<Check> {
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  try {
    await check();
    return { name, ok: true, tookMs: took() };
  } catch (error) {
    return {
      name,
      ok: false,
      tookMs: took(),
      problem: error instanceof Error ? error.message : String(error),
    };
  }
}
