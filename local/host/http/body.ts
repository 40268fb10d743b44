import type { IncomingMessage } from "node:http";

import type { Settings } from "../config/settings.ts";
import { StartError } from "../../start-error.ts";

export type Body =
  | { readonly kind: "whole"; readonly bytes: Buffer }
  | { readonly kind: "too-large" }
  | { readonly kind: "aborted" };

const setting = "FUNCTIONS_REQUEST_BODY_SIZE_LIMIT";
const defaultLimit = 104_857_600;

export function bodyLimit(settings: Settings): number {
  const text = settings[setting];
  if (text === undefined || text === "") return defaultLimit;
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new StartError(`${setting} must be a number of bytes, not '${text}'`);
  }
  return limit;
}

/** The length a request announces says it all before the first byte is read. */
export function announcesTooMuch(request: IncomingMessage, limit: number): boolean {
  return Number(request.headers["content-length"] ?? 0) > limit;
}

/** Reads the body and stops at the first byte past `limit`, leaving the connection fit to answer on. */
export function readBody(request: IncomingMessage, limit: number): Promise<Body> {
  if (announcesTooMuch(request, limit)) return Promise.resolve({ kind: "too-large" });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (body: Body): void => {
      request.off("data", take).off("end", whole).off("close", aborted);
      resolve(body);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      finish({ kind: "too-large" });
    };
    const whole = (): void => finish({ kind: "whole", bytes: Buffer.concat(chunks) });
    const aborted = (): void => finish({ kind: "aborted" });
    request.on("data", take).on("end", whole).on("close", aborted);
  });
}
