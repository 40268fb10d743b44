/**
 * Node begins with a nursery of 16 MB, which a busy app fills many times a second; each time the half-done work of every
 * request is copied. In Azure the same goes into the setting `languageWorkers__node__arguments`.
 */
export const workerMemory: readonly string[] = ["--max-semi-space-size=64"];
