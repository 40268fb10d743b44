/**
 * Whether there can be a subject that both name: `*` stands for one segment, `#` for any number of them, also none.
 * With a plain subject on one side it answers whether the pattern matches it.
 */
export function subjectsOverlap(left: string, right: string): boolean {
  const ours = left.split(".");
  const theirs = right.split(".");
  // reach[j]: the first i of our segments can be the first j of theirs.
  let reach = firstRow(theirs);
  for (const segment of ours) {
    const next = [segment === "#" && reach[0] === true];
    for (const [at, other] of theirs.entries()) {
      const same = segment === other || segment === "*" || other === "*";
      const both = reach[at] === true && same;
      const ourRest = segment === "#" && (reach[at + 1] === true || next[at] === true);
      const theirRest = other === "#" && (reach[at + 1] === true || next[at] === true);
      next.push(both || ourRest || theirRest);
    }
    reach = next;
  }
  return reach[theirs.length] === true;
}

/** With none of our segments used: only rests can have been passed. */
function firstRow(theirs: readonly string[]): boolean[] {
  const row = [true];
  for (const other of theirs) row.push(row.at(-1) === true && other === "#");
  return row;
}

export function isPattern(subject: string): boolean {
  return subject.split(".").some((segment) => segment === "*" || segment === "#");
}
