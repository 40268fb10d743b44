import type { TableClient } from "@azure/data-tables";

import { createGroupCommit } from "../../../shared/platform/group-commit.ts";
import type { Services } from "../../../shared/services.ts";

/** A process that stops dead at one of its steps: a write, a message or a request to the vendor. */
export interface MortalProcess {
  readonly services: Services;
  /** Resolves when it has died. */
  readonly died: Promise<void>;
  /** How many steps it has taken. */
  readonly steps: () => number;
}

export interface Death {
  readonly step: number;
  /** Whether the step is still taken. */
  readonly when: "before" | "after";
}

const writes = new Set(["createEntity", "updateEntity", "upsertEntity", "deleteEntity", "submitTransaction"]);

export function startMortal(living: Services, death?: Death): MortalProcess {
  let taken = 0;
  let isDead = false;
  let die = (): void => {};
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });

  /** Of a process that has died nothing comes any more, neither an answer nor another step. */
  async function step<T>(take: () => Promise<T>): Promise<T> {
    if (isDead) return never();
    if (taken++ !== death?.step) return unlessDead(await take());
    isDead = true;
    if (death.when === "after") await take();
    die();
    return never();
  }

  function unlessDead<T>(result: T): T | Promise<never> {
    return isDead ? never() : result;
  }

  function mortalTable(table: TableClient): TableClient {
    return new Proxy(table, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function") return member;
        const call = (...args: unknown[]): unknown => Reflect.apply(member, target, args);
        if (typeof name !== "string" || !writes.has(name)) return call;
        return (...args: unknown[]) => step(async () => call(...args));
      },
    });
  }

  const tables = mapped(living.tables, mortalTable);
  const sending = mapped(living.senders, (sender) => ({
    ...sender,
    send: (message: Parameters<typeof sender.send>[0]) => step(() => sender.send(message)),
  }));
  const services: Services = {
    ...living,
    tables,
    failures: mapped(living.failures, mortalTable),
    backlog: mapped(living.backlog, mortalTable),
    commits: {
      effects: createGroupCommit(tables.effects),
      events: createGroupCommit(tables.events),
      timeline: createGroupCommit(tables.timeline),
    },
    senders: sending,
    bind: (tenantId, route) => {
      const operation = living.bind(tenantId, route);
      return {
        ...operation,
        execute: (input) => step(() => operation.execute(input)),
        askVendor: (input) => step(() => operation.askVendor(input)),
      };
    },
  };
  return { services, died, steps: () => taken };
}

function never(): Promise<never> {
  return new Promise(() => {});
}

function mapped<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  make: (value: From) => To,
): Record<Key, To> {
  return Object.fromEntries(Object.entries<From>(record).map(([key, value]) => [key, make(value)])) as Record<
    Key,
    To
  >;
}
