import type { FailureClass } from "../failures/classes.ts";
import { failureMachine, type FailureState } from "../machines/failure.ts";

/** What the index knows of a failure, so that looking for some needs no look at the others. */
interface Indexed {
  readonly tenantId: string;
  readonly failureId: string;
  readonly revision: number;
  readonly state: FailureState;
  readonly lastFailedAt: Date;
  readonly routeName: string;
  readonly code: string;
  readonly classification: FailureClass;
}

/** A failure as the index has it: it may have moved on since. */
export interface FailureHead extends Omit<Indexed, "tenantId"> {
  readonly key: string;
}

type Fields = Pick<Indexed, "routeName" | "code" | "classification">;

const endOfTime = 99_999_999_999_999;

export function indexKeyOf(failure: Indexed): { partitionKey: string; rowKey: string } {
  return {
    partitionKey: indexPartition(failure.tenantId, failure.state),
    rowKey: `${reversed(failure.lastFailedAt)}|${failure.failureId}|${failure.revision}`,
  };
}

export function indexPartition(tenantId: string, state: FailureState): string {
  return `${tenantId}|${state}`;
}

/** Where a moment stands among the keys: the later, the smaller. */
export function reversed(at: Date): string {
  return String(endOfTime - at.getTime()).padStart(14, "0");
}

export function indexedOf({ routeName, code, classification }: Indexed): Fields {
  return { routeName, code, classification };
}

/** Names come back from storage as they were written. */
export function headOf(
  row: Fields & { readonly partitionKey?: string; readonly rowKey?: string },
): FailureHead {
  const { partitionKey = "", rowKey: key = "", routeName, code, classification } = row;
  const [time = "", failureId = "", revision] = key.split("|");
  return {
    key,
    failureId,
    revision: Number(revision),
    state: stateOf(partitionKey.slice(partitionKey.lastIndexOf("|") + 1)),
    lastFailedAt: new Date(endOfTime - Number(time)),
    routeName,
    code,
    classification,
  };
}

export function isFailureState(text: string): text is FailureState {
  return Object.hasOwn(failureMachine.states, text);
}

function stateOf(text: string): FailureState {
  if (isFailureState(text)) return text;
  throw new Error(`'${text}' is no state of a failure`);
}
