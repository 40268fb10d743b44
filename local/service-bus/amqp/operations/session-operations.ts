import * as encode from "../../codec/encode.ts";
import { renewSession } from "../../entities/session-locks.ts";
import { invalidArgument, sessionLockLost } from "../../errors.ts";
import { integerField, stringField } from "./arguments.ts";
import { noContent, ok, type Operation } from "./operation.ts";

export const renewSessionLock: Operation = ({ entity: { queue }, body }) =>
  ok(encode.map({ expiration: encode.timestamp(renewSession(queue, stringField(body, "session-id"))) }));

export const getSessionState: Operation = ({ entity: { queue }, body }) => {
  const id = stringField(body, "session-id");
  const session = queue.sessions?.locked(id);
  if (!session) throw sessionLockLost(id);
  return ok(encode.map({ "session-state": session.state ? encode.binary(session.state) : encode.nothing }));
};

export const setSessionState: Operation = ({ entity: { queue }, body }) => {
  const id = stringField(body, "session-id");
  const session = queue.sessions?.locked(id);
  if (!session) throw sessionLockLost(id);
  const state = body.get("session-state") ?? null;
  if (state !== null && !Buffer.isBuffer(state)) throw invalidArgument("'session-state' must be binary.");
  session.state = state === null ? undefined : Buffer.from(state);
  queue.store.saveSessionState(queue.key, id, session.state);
  return ok();
};

export const getMessageSessions: Operation = ({ entity: { queue }, body }) => {
  const skip = integerField(body, "skip", 0);
  const ids = Array.from(queue.sessions?.all() ?? [], ({ id }) => id).slice(
    skip,
    skip + integerField(body, "top", 100),
  );
  if (ids.length === 0) return noContent;
  const strings = ids.map((id) => wideString(id));
  return ok(encode.map({ skip: encode.int(skip + ids.length), "sessions-ids": encode.array(0xb1, strings) }));
};

/** Elements of an array share one constructor, so every string takes the wide one. */
function wideString(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  const head = Buffer.allocUnsafe(5);
  head[0] = 0xb1;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
