/** Names by which functions and orchestrations find each other; they do not import one another. */
export const selfCheckOrchestrator = "self-check";
export const selfCheckActivity = "self-check-step";

/** One instance, run again for each check, so that checking leaves nothing behind. */
export const selfCheckInstanceId = "self-check";
