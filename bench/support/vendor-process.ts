import { fork } from "node:child_process";
import { once } from "node:events";

import type { Volley, VolleyResult } from "./vendor.ts";

export interface Vendor {
  readonly sinkUrl: string;
  readonly fire: (volley: Volley) => Promise<VolleyResult>;
  readonly stop: () => Promise<void>;
}

type Message =
  | { readonly kind: "ready"; readonly sinkUrl: string }
  | { readonly kind: "result"; readonly result: VolleyResult }
  | { readonly kind: "failed"; readonly message: string };

export async function startVendor(): Promise<Vendor> {
  const child = fork(new URL("./vendor.js", import.meta.url), { execArgv: ["--max-old-space-size=2048"] });
  const next = async (): Promise<Message> => {
    const [message] = (await Promise.race([
      once(child, "message"),
      once(child, "exit").then(() => {
        throw new Error("The vendor's process ended");
      }),
    ])) as [Message];
    return message;
  };
  const ready = await next();
  if (ready.kind !== "ready") throw new Error("The vendor did not start");
  return {
    sinkUrl: ready.sinkUrl,
    async fire(volley) {
      child.send(volley);
      const message = await next();
      if (message.kind !== "result")
        throw new Error(message.kind === "failed" ? message.message : "The vendor started anew");
      return message.result;
    },
    async stop() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
