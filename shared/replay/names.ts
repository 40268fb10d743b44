/** The orchestration; its instances have the ids of their replays. */
export const replayOrchestrator = "replay";

export const collectActivity = "replay-collect";
export const takeActivity = "replay-take";
export const runActivity = "replay-run";
export const returnActivity = "replay-return";
export const endActivity = "replay-end";
