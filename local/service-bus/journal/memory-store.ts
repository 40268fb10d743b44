import type { Store } from "../entities/store.ts";
import { GroupCommit } from "./group-commit.ts";

const nothing = (): void => undefined;

/** A store that keeps nothing: the messages live as long as the process. Commits come in turns as with a file. */
export function memoryStore(log: (line: string) => void): Store {
  const group = new GroupCommit(nothing, log);
  return {
    put: nothing,
    recount: nothing,
    remove: nothing,
    remember: nothing,
    saveSessionState: nothing,
    saveRules: nothing,
    saveEntity: nothing,
    dropEntity: nothing,
    commit: (done) => group.commit(done),
    flush: () => group.flush(),
    close: nothing,
  };
}
