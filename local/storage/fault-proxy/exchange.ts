import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

import { failedBatch } from "./batch.ts";
import type { Counter } from "./counts.ts";
import { emptyPageBody, ownToken, withoutOwnToken } from "./empty-page.ts";
import { odataError, xmlError } from "./error-bodies.ts";
import { operationTimedOut, serverBusy, type StorageFailure } from "./errors.ts";
import { violationOf, type Violation } from "./limits.ts";
import type { Operation } from "./operation.ts";
import { readBlobOperation } from "./read-blob-operation.ts";
import { readTableOperation } from "./read-table-operation.ts";
import type { Plan, Rules } from "./rules.ts";
import { passOn, swallow, type Upstream } from "./upstream.ts";

export interface Policy {
  readonly rules: Rules;
  readonly counter: Counter;
  readonly enforceLimits: boolean;
}

const odata = "application/json;odata=minimalmetadata;streaming=true;charset=utf-8";

/** One request and what becomes of it. */
export class Exchange {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #upstream: Upstream;
  readonly #policy: Policy;
  /** As the storage should see it. */
  readonly #target: string;

  constructor(request: IncomingMessage, response: ServerResponse, upstream: Upstream, policy: Policy) {
    this.#request = request;
    this.#response = response;
    this.#upstream = upstream;
    this.#policy = policy;
    this.#target = withoutOwnToken(request.url ?? "/");
  }

  async run(service: "table" | "blob"): Promise<void> {
    const { rules, counter, enforceLimits } = this.#policy;
    // Entities are looked into, and are small; blobs flow through.
    const body = service === "table" ? await buffer(this.#request) : undefined;
    const operation = this.#operation(body);
    counter.arrived(operation);
    const violation = enforceLimits && operation.service === "table" ? violationOf(operation) : undefined;
    if (violation) {
      counter.refused();
      return this.#refuse(violation);
    }
    const { delayMs, fault } = rules.plan(operation);
    if (fault) counter.faulted();
    if (delayMs > 0) await wait(delayMs);
    return this.#carryOut(operation, fault, body);
  }

  #operation(body: Buffer | undefined): Operation {
    const method = this.#request.method ?? "GET";
    if (!body) return readBlobOperation(method, this.#target);
    return readTableOperation({ method, target: this.#target, body: body.toString() });
  }

  async #carryOut(operation: Operation, fault: Plan["fault"], body: Buffer | undefined): Promise<void> {
    switch (fault?.kind) {
      case undefined:
        return passOn(await this.#upstream.forward(this.#request, this.#target, body), this.#response);
      case "busy":
        return this.#fail(operation.service, serverBusy(fault.retryAfterSeconds));
      case "timed-out":
        return this.#fail(operation.service, operationTimedOut());
      case "reset":
        this.#request.socket.resetAndDestroy();
        return;
      case "lost-acknowledgement":
        await swallow(await this.#upstream.forward(this.#request, this.#target, body));
        if (fault.answer === "busy") this.#fail(operation.service, serverBusy());
        else this.#request.socket.resetAndDestroy();
        return;
      case "empty-page":
        return this.#sendEmptyPage(operation.resource);
    }
  }

  #sendEmptyPage(table: string): void {
    const body = emptyPageBody(`http://${this.#request.headers.host}`, table);
    this.#send(200, odata, body, { "x-ms-continuation-NextPartitionKey": ownToken(this.#target) });
  }

  #refuse({ failure, index }: Violation): void {
    if (index === undefined) return this.#fail("table", failure);
    const { type, body } = failedBatch(failure, index);
    this.#send(202, type, body);
  }

  #fail(service: Operation["service"], failure: StorageFailure): void {
    const { status, code, retryAfterSeconds } = failure;
    const [type, body] =
      service === "table" ? [odata, odataError(failure)] : ["application/xml", xmlError(failure)];
    this.#send(status, type, body, {
      "x-ms-error-code": code,
      ...(retryAfterSeconds !== undefined && { "retry-after": `${retryAfterSeconds}` }),
    });
  }

  #send(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): void {
    // What the client still sends must be taken off the connection before it can be used again.
    this.#request.resume();
    this.#response.writeHead(status, {
      "content-type": type,
      "content-length": Buffer.byteLength(body),
      "x-ms-request-id": randomUUID(),
      "x-ms-version": "2019-02-02",
      ...headers,
    });
    this.#response.end(this.#request.method === "HEAD" ? undefined : body);
  }
}
