import {
  blobKinds,
  tableKinds,
  type BlobKind,
  type Operation,
  type TableKind,
  type TableOperation,
} from "./operation.ts";

/** What has been asked of the services: every request that arrived, also those that met a fault or a limit. */
export interface Counts {
  readonly table: Readonly<Record<TableKind, number>>;
  readonly blob: Readonly<Record<BlobKind, number>>;
  /** The operations inside of batches; a batch itself counts once in `table`. */
  readonly batched: Readonly<Record<TableKind, number>>;
  /** The requests in `table`, by the name of the table they are about. */
  readonly byTable: Readonly<Record<string, Readonly<Record<TableKind, number>>>>;
  /** How many requests met a fault other than a delay. */
  readonly faults: number;
  /** How many requests broke a limit. */
  readonly refused: number;
}

export class Counter {
  #table = zeros(tableKinds);
  #blob = zeros(blobKinds);
  #batched = zeros(tableKinds);
  #byTable = new Map<string, Record<TableKind, number>>();
  #faults = 0;
  #refused = 0;

  arrived(operation: Operation): void {
    if (operation.service === "blob") this.#blob[operation.kind] += 1;
    else this.#arrivedAtTable(operation);
  }

  faulted(): void {
    this.#faults += 1;
  }

  refused(): void {
    this.#refused += 1;
  }

  reset(): void {
    this.#table = zeros(tableKinds);
    this.#blob = zeros(blobKinds);
    this.#batched = zeros(tableKinds);
    this.#byTable = new Map();
    this.#faults = 0;
    this.#refused = 0;
  }

  snapshot(): Counts {
    return {
      table: { ...this.#table },
      blob: { ...this.#blob },
      batched: { ...this.#batched },
      byTable: Object.fromEntries([...this.#byTable].map(([table, counts]) => [table, { ...counts }])),
      faults: this.#faults,
      refused: this.#refused,
    };
  }

  #arrivedAtTable({ kind, resource, inner = [] }: TableOperation): void {
    this.#table[kind] += 1;
    const own = this.#byTable.get(resource) ?? zeros(tableKinds);
    own[kind] += 1;
    this.#byTable.set(resource, own);
    for (const each of inner) this.#batched[each.kind] += 1;
  }
}

function zeros<Kind extends string>(kinds: readonly Kind[]): Record<Kind, number> {
  return Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
}
