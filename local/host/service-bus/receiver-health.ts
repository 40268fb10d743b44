import type { HostedFunction } from "../functions.ts";
import type { HostContext } from "../host-context.ts";
import { messageOf } from "../../start-error.ts";
import { type Entity, nameOf } from "./entity.ts";

/** Logs when receiving breaks and when it works again, and is silent about the tries in between. */
export class ReceiverHealth {
  readonly #context: HostContext;
  readonly #category: string;
  readonly #entity: Entity;
  #trouble: string | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(context: HostContext, fn: HostedFunction, entity: Entity) {
    this.#context = context;
    this.#category = `Function.${fn.name}`;
    this.#entity = entity;
  }

  failed(error: unknown): void {
    this.#failedAt = performance.now();
    const trouble = isMissing(error)
      ? `${capital(nameOf(this.#entity))} does not exist: create it on the server, or correct the function's binding`
      : `${capital(nameOf(this.#entity))} cannot be received from: ${reasonOf(error)}`;
    if (this.#trouble === trouble) return;
    // Another reason for the same outage is news to whoever debugs, not to whoever operates.
    const level = this.#trouble === undefined || isMissing(error) ? "Error" : "Debug";
    this.#trouble = trouble;
    this.#context.log.write(level, this.#category, `${trouble}; the host keeps trying`);
  }

  /** A call that was under way when another failed and then ended well proves nothing. */
  works(begunAt = performance.now()): void {
    if (this.#trouble === undefined || begunAt < this.#failedAt) return;
    this.#trouble = undefined;
    this.#context.log.write(
      "Information",
      this.#category,
      `${capital(nameOf(this.#entity))} is received from again`,
    );
  }
}

/** After several tries the library throws them all as one; its parts carry the codes. */
export function codesOf(error: unknown): string[] {
  const parts = error instanceof AggregateError ? error.errors : [error];
  return parts.flatMap((part: unknown) =>
    part instanceof Error && "code" in part && typeof part.code === "string" ? [part.code] : [],
  );
}

function isMissing(error: unknown): boolean {
  return codesOf(error).includes("MessagingEntityNotFound");
}

function reasonOf(error: unknown): string {
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [error];
  return messageOf(parts.at(-1)).split("\n", 1)[0] ?? "";
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
