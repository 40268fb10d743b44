import { fork } from "node:child_process";
import { once } from "node:events";

import type { Volley, VolleyResult } from "./vendor.ts";

/** This side of the vendor's process. */
export interface Vendor {
  /** Where effects are to be sent. */
  readonly sinkUrl: string;
  /** One volley at a time. */
  readonly fire: (volley: Volley) => Promise<VolleyResult>;
  readonly stop: () => Promise<void>;
}

type Message =
  | { readonly kind: "ready"; readonly sinkUrl: string }
  | { readonly kind: "result"; readonly result: VolleyResult }
  | { readonly kind: "failed"; readonly message: string };

export async function startVendor(): Promise<Vendor> {
  const child = fork(new URL("./vendor.js", import.meta.url), { execArgv: [] });
  const ended = once(child, "exit");
  let hear: (message: Message) => void = () => {};
  child.on("message", (message: Message) => hear(message));
  void ended.then(() => hear({ kind: "failed", message: "The vendor's process ended" }));
  const next = (): Promise<Message> =>
    new Promise((resolve) => {
      hear = resolve;
    });
  const ready = await next();
  if (ready.kind !== "ready") throw new Error("The vendor did not start");
  return {
    sinkUrl: ready.sinkUrl,
    async fire(volley) {
      const answer = next();
      child.send(volley);
      const message = await answer;
      if (message.kind !== "result")
        throw new Error(message.kind === "failed" ? message.message : "The vendor started anew");
      return message.result;
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
