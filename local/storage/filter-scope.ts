import andNode from "azurite/dist/src/table/persistence/QueryInterpreter/QueryNodes/AndNode.js";
import constantNode from "azurite/dist/src/table/persistence/QueryInterpreter/QueryNodes/ConstantNode.js";
import equalsNode from "azurite/dist/src/table/persistence/QueryInterpreter/QueryNodes/EqualsNode.js";
import identifierNode from "azurite/dist/src/table/persistence/QueryInterpreter/QueryNodes/IdentifierNode.js";
import queryParser from "azurite/dist/src/table/persistence/QueryInterpreter/QueryParser.js";

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
export function scopeOfFilter(filter: string | undefined): FilterScope | undefined {
  let root: unknown;
  try {
    root = queryParser.default(filter ?? "");
  } catch {
    return undefined; // Azurite parses it once more and answers with its own error.
  }
  const [first, second] = conditionsOf(root);
  const partitionKey = valueOf("PartitionKey", first);
  if (partitionKey === undefined) return undefined;
  const rowKey = valueOf("RowKey", second);
  return { partitionKey, ...(rowKey !== undefined && { rowKey }) };
}

/** What `and` joins, in the order of evaluation. */
function conditionsOf(node: unknown): unknown[] {
  if (!(node instanceof andNode.default)) return [node];
  return [...conditionsOf(node.left), ...conditionsOf(node.right)];
}

function valueOf(property: string, node: unknown): string | undefined {
  if (!(node instanceof equalsNode.default)) return undefined;
  const { left, right } = node;
  if (!(left instanceof identifierNode.default) || left.identifier !== property) return undefined;
  return right instanceof constantNode.default && typeof right.value === "string" ? right.value : undefined;
}
