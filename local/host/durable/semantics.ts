/** Where host and SDK disagree about when a task is over, and so about the order of ids. */
export interface Semantics {
  readonly failFastAll: boolean;
  readonly cancelSettlesTimer: boolean;
  readonly httpPollTakesBothIds: boolean;
  /** The history was made by the host; only the host's own walk can be measured by it. */
  readonly checksHistory: boolean;
}

export const hostSemantics: Semantics = {
  failFastAll: false,
  cancelSettlesTimer: true,
  httpPollTakesBothIds: false,
  checksHistory: true,
};

export const sdkSemantics: Semantics = {
  failFastAll: true,
  cancelSettlesTimer: false,
  httpPollTakesBothIds: true,
  checksHistory: false,
};
