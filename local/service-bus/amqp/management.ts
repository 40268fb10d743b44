import { textOf } from "../codec/message-content.ts";
import type { Broker, Entity } from "../entities/broker.ts";
import { entityNotFound, notImplemented } from "../errors.ts";
import {
  cancelScheduledMessage,
  peekMessage,
  receiveBySequenceNumber,
  renewMessageLock,
  scheduleMessage,
  updateDisposition,
} from "./operations/message-operations.ts";
import type { Operation } from "./operations/operation.ts";
import { addRule, enumerateRules, removeRule } from "./operations/rule-operations.ts";
import {
  getMessageSessions,
  getSessionState,
  renewSessionLock,
  setSessionState,
} from "./operations/session-operations.ts";
import { asMap, type Reply, type Request } from "./request.ts";

/**
 * Every operation of an entity's `$management` node.
 * https://learn.microsoft.com/azure/service-bus-messaging/service-bus-amqp-request-response
 */
const operations: Readonly<Record<string, Operation>> = {
  "com.microsoft:renew-lock": renewMessageLock,
  "com.microsoft:peek-message": peekMessage,
  "com.microsoft:schedule-message": scheduleMessage,
  "com.microsoft:cancel-scheduled-message": cancelScheduledMessage,
  "com.microsoft:receive-by-sequence-number": receiveBySequenceNumber,
  "com.microsoft:update-disposition": updateDisposition,
  "com.microsoft:renew-session-lock": renewSessionLock,
  "com.microsoft:get-session-state": getSessionState,
  "com.microsoft:set-session-state": setSessionState,
  "com.microsoft:get-message-sessions": getMessageSessions,
  "com.microsoft:add-rule": addRule,
  "com.microsoft:remove-rule": removeRule,
  "com.microsoft:enumerate-rules": enumerateRules,
};

export function manage(broker: Broker, entity: Entity, request: Request): Reply {
  const name = textOf(request.properties.get("operation") ?? null) ?? "";
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (!operation) throw notImplemented(name);
  if (entity.queue.isDeleted) throw entityNotFound(entity.queue.path);
  entity.queue.traffic.requests++;
  return operation({ broker, entity, body: asMap(request.body) });
}
