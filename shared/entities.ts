/** Names of what stands in infra/service-bus.json and infra/storage.json; a test compares them. */
export const workQueue = "work";
export const rawContainer = "raw";
