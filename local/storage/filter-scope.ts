import type { FilterNode } from "azurite/dist/src/table/persistence/QueryInterpreter/QueryParser.js";

/** The rows that a filter can match: those of a partition, or the one with that row key in it. */
export interface FilterScope {
  readonly partitionKey: string;
  readonly rowKey?: string;
}

/**
 * Reads the scope off the conditions that are evaluated first: `PartitionKey eq 'p'`, alone or followed by `and`, and
 * perhaps `RowKey eq 'r'` next. No later condition is then ever evaluated for a row outside, not even one that would
 * throw there, so leaving those rows out cannot be told from looking at them.
 */
export function scopeOf(filter: FilterNode): FilterScope | undefined {
  const [first, second] = conditionsOf(filter);
  const partitionKey = valueOf("PartitionKey", first);
  if (partitionKey === undefined) return undefined;
  const rowKey = valueOf("RowKey", second);
  return { partitionKey, ...(rowKey !== undefined && { rowKey }) };
}

/** What `and` joins, in the order of evaluation. */
function conditionsOf(node: FilterNode): FilterNode[] {
  const { name, left, right } = node;
  return name === "and" && left && right ? [...conditionsOf(left), ...conditionsOf(right)] : [node];
}

function valueOf(property: string, node: FilterNode | undefined): string | undefined {
  const { left, right } = node ?? {};
  if (node?.name !== "eq" || left?.name !== "id" || left.identifier !== property) return undefined;
  return right?.name === "constant" && typeof right.value === "string" ? right.value : undefined;
}
