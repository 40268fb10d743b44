import type { IncomingMessage, ServerResponse } from "node:http";

import type { Clock } from "../clock.ts";
import type { HostSettings } from "./config/host-json.ts";
import type { Settings } from "./config/settings.ts";
import type { HostedFunction } from "./functions.ts";
import type { Invoker } from "./invoker.ts";
import type { HostLog } from "./log.ts";

/** What every listener of the host works with. */
export interface HostContext {
  /** All functions of the app, disabled ones included. */
  readonly functions: readonly HostedFunction[];
  readonly invoker: Invoker;
  readonly log: HostLog;
  readonly clock: Clock;
  readonly settings: Settings;
  readonly hostSettings: HostSettings;
  /** Where the host keeps what must outlive it; undefined when nothing must. */
  readonly dataDir: string | undefined;
}

/** Something that calls functions when the world outside moves: schedules, receivers, requests. */
export interface Listener {
  start(): Promise<void>;
  /** Takes nothing new on and resolves when what it had taken on is done with. */
  stop(): Promise<void>;
}

/** A part of the host that answers HTTP requests below a path of its own. */
export interface HttpMount {
  readonly prefix: string;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
