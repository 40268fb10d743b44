import { readFileSync } from "node:fs";

import { messageOf, StartError } from "../start-error.ts";
import type { HmacSettings } from "./vendor.ts";

/** What the API answered when a connection was made, as far as a sender needs it. */
export interface SavedConnection {
  readonly hookUrl?: string;
  /** Only where the API made it up. */
  readonly secret?: string;
  /** Only of the scheme `generic-hmac`. */
  readonly schemeConfig?: HmacSettings;
}

/** Byte for byte, for that is what is signed. */
export function readBody(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

export function readConnection(path: string): SavedConnection {
  const value = parsed(path);
  if (typeof value !== "object" || value === null) throw new StartError(`${path} holds no connection`);
  const { hookUrl, secret, schemeConfig, detail } = value as Record<string, unknown>;
  if (hookUrl === undefined && typeof detail === "string") {
    throw new StartError(`${path} holds no connection but a refusal: ${detail}`);
  }
  return {
    ...(typeof hookUrl === "string" && { hookUrl }),
    ...(typeof secret === "string" && { secret }),
    ...(isHmacSettings(schemeConfig) && { schemeConfig }),
  };
}

/** The API has checked the rest. */
function isHmacSettings(value: unknown): value is HmacSettings {
  return typeof value === "object" && value !== null && "header" in value && typeof value.header === "string";
}

function parsed(path: string): unknown {
  const text = readBody(path).toString("utf8");
  if (text.trim() === "") throw new StartError(`${path} is empty: the connection was not made`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StartError(`${path} is not JSON: ${messageOf(error)}`, { cause: error });
  }
}
