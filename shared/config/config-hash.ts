import { stableId } from "../envelope/ids.ts";
import { canonicalJson } from "../json/canonical.ts";

/** Names a version by what is in it: the same in every environment, and whatever the order of the keys. */
export function configHash(config: object): string {
  return stableId("config", canonicalJson(config));
}
