/** Names of what stands in infra/service-bus.json and infra/storage.json; a test compares them. */
export const workQueue = "work";
export const eventsTopic = "events";
export const routerSubscription = "router";
export const dispatcherSubscription = "dispatcher";
export const rawContainer = "raw";
