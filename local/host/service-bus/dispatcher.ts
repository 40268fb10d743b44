import type { ServiceBusReceivedMessage, ServiceBusReceiver } from "@azure/service-bus";

import type { HostedFunction } from "../functions.ts";
import type { HostContext } from "../host-context.ts";
import { messageOf } from "../../start-error.ts";
import { keepLocked } from "./lock-renewal.ts";
import { batchData, batchMetadata, messageData, messageMetadata } from "./message-data.ts";
import { createSettlementGate, type SettlementGate } from "./settlement-gate.ts";

/** Hands messages to the function and settles them by how it ended: all of a batch alike. */
export class Dispatcher {
  readonly #context: HostContext;
  readonly #fn: HostedFunction;
  readonly #autoComplete: boolean;
  readonly #running = new Set<Promise<void>>();

  constructor(context: HostContext, fn: HostedFunction) {
    const { autoCompleteMessages } = fn.trigger;
    this.#context = context;
    this.#fn = fn;
    this.#autoComplete =
      typeof autoCompleteMessages === "boolean"
        ? autoCompleteMessages
        : context.hostSettings.serviceBus.autoCompleteMessages;
  }

  /** A way to run messages of one receiver; what it answers never rejects. */
  forReceiver(
    receiver: ServiceBusReceiver,
    lockedBy: "message" | "session",
  ): (messages: readonly ServiceBusReceivedMessage[]) => Promise<void> {
    const gate = createSettlementGate();
    return (messages) => {
      const work = this.#dispatch(receiver, gate, messages, lockedBy === "message").finally(() =>
        this.#running.delete(work),
      );
      this.#running.add(work);
      return work;
    };
  }

  /** Resolves when every message taken on so far has been settled. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #dispatch(
    receiver: ServiceBusReceiver,
    gate: SettlementGate,
    messages: readonly ServiceBusReceivedMessage[],
    renew: boolean,
  ): Promise<void> {
    const release = renew ? messages.map((message) => this.#keepLocked(receiver, message)) : [];
    const { kind } = await this.#context.invoker.invoke(this.#fn, this.#invocation(messages));
    for (const stop of release) stop();
    if (kind === "failed") {
      await this.#settle("abandoned", messages, (message) =>
        gate("other", () => receiver.abandonMessage(message)),
      );
    } else if (this.#autoComplete) {
      await this.#settle("completed", messages, (message) =>
        gate("complete", () => receiver.completeMessage(message)),
      );
    }
  }

  #invocation(
    messages: readonly ServiceBusReceivedMessage[],
  ): Parameters<HostContext["invoker"]["invoke"]>[1] {
    const { dataType, cardinality } = this.#fn.trigger;
    const [first] = messages;
    if (isMany(cardinality) || first === undefined) {
      const reason = `(${messages.length} new ServiceBus messages detected on '${this.#fn.name}'.)`;
      return { reason, data: batchData(messages, dataType), triggerMetadata: batchMetadata(messages) };
    }
    return {
      reason: `(new ServiceBus message detected on '${this.#fn.name}'.)`,
      data: messageData(first, dataType),
      triggerMetadata: messageMetadata(first),
    };
  }

  #keepLocked(receiver: ServiceBusReceiver, message: ServiceBusReceivedMessage): () => void {
    const { maxAutoLockRenewalDurationMs } = this.#context.hostSettings.serviceBus;
    return keepLocked(
      message.lockedUntilUtc,
      maxAutoLockRenewalDurationMs,
      () => receiver.renewMessageLock(message),
      (error) => this.#warn(`The lock of message '${idOf(message)}' was not renewed: ${messageOf(error)}`),
    );
  }

  async #settle(
    outcome: string,
    messages: readonly ServiceBusReceivedMessage[],
    settle: (message: ServiceBusReceivedMessage) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      messages.map((message) =>
        settle(message).catch((error: unknown) =>
          this.#warn(
            `Message '${idOf(message)}' was not ${outcome} and will come again: ${messageOf(error)}`,
          ),
        ),
      ),
    );
  }

  #warn(message: string): void {
    this.#context.log.write("Warning", `Function.${this.#fn.name}`, message);
  }
}

export function isMany(cardinality: unknown): boolean {
  return typeof cardinality === "string" && cardinality.toLowerCase() === "many";
}

function idOf({ messageId }: ServiceBusReceivedMessage): string {
  return String(messageId);
}
