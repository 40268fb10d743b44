/** A state and where it may lead. A state that leads nowhere is an end. */
export interface State<Name extends string> {
  readonly means: string;
  readonly next: readonly Name[];
}

/** Infers the states from the table's keys, so that a `next` that names no state does not compile. */
export function machine<Name extends string>(definition: {
  readonly name: string;
  readonly start: readonly NoInfer<Name>[];
  readonly states: { readonly [S in Name]: State<NoInfer<Name>> };
}): Machine<Name> {
  return definition;
}

export interface Machine<Name extends string> {
  readonly name: string;
  readonly start: readonly Name[];
  readonly states: { readonly [S in Name]: State<Name> };
}

export function mayMove<Name extends string>({ states }: Machine<Name>, from: Name, to: Name): boolean {
  return states[from].next.includes(to);
}
