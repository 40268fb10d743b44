import { type BenchServices, startServices } from "./stack.ts";

/** Each part of a benchmark on services of its own, so that none finds what another left. */
export async function onServices<T>(work: (services: BenchServices) => Promise<T>): Promise<T> {
  const services = await startServices();
  try {
    return await work(services);
  } finally {
    await services.stop();
  }
}
