import type { AmqpMap } from "../../codec/decode.ts";
import type { Broker, Entity } from "../../entities/broker.ts";
import type { Reply } from "../request.ts";

/** What an operation works on: the entity of the link and the body of the request. */
export interface Call {
  readonly broker: Broker;
  readonly entity: Entity;
  readonly body: AmqpMap;
}

export type Operation = (call: Call) => Reply;

export const ok = (body?: Buffer): Reply => ({ status: 200, description: "OK", ...(body ? { body } : {}) });
export const noContent: Reply = { status: 204, description: "No content" };
