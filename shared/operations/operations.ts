import type { Binding } from "./exchange.ts";
import { bindGenericHttp } from "./generic-http.ts";
import type { BoundOperation } from "./operation.ts";

/** Every kind of operation a route can name. */
const kinds: Readonly<Record<Binding["operation"]["kind"], (binding: Binding) => BoundOperation>> = {
  "generic-http": bindGenericHttp,
};

export function bindOperation(binding: Binding): BoundOperation {
  return kinds[binding.operation.kind](binding);
}
