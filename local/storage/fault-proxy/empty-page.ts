/**
 * An empty page carries a token of the proxy's own, in which the client's place in the query is folded up. It comes as
 * `NextPartitionKey` alone, because Azure leaves the row key out too. When the client returns with it, its place is
 * put back. Tables sign no query parameter but `comp`, so the signature stays good.
 */
const prefix = "interlock-";

/** The parameters that say where a query goes on, exactly as they were sent. */
function placeOf(target: string): { rest: string[]; path: string; place: string[] } {
  const [path = "", query = ""] = target.split("?", 2);
  const parameters = query.split("&").filter(Boolean);
  const isPlace = (parameter: string): boolean => /^Next(Partition|Row)Key=/.test(parameter);
  return { path, place: parameters.filter(isPlace), rest: parameters.filter((one) => !isPlace(one)) };
}

/** The target as the service should see it. */
export function withoutOwnToken(target: string): string {
  const { path, place, rest } = placeOf(target);
  const own = place.map((one) => decodeURIComponent(one.slice(one.indexOf("=") + 1))).find(isOwn);
  if (own === undefined) return target;
  const folded = Buffer.from(own.slice(prefix.length), "base64url").toString();
  const parameters = folded === "" ? rest : [...rest, folded];
  return parameters.length === 0 ? path : `${path}?${parameters.join("&")}`;
}

const isOwn = (token: string): boolean => token.startsWith(prefix);

/** The token that brings the client back to the same place. `target` has none of our own in it. */
export function ownToken(target: string): string {
  return prefix + Buffer.from(placeOf(target).place.join("&")).toString("base64url");
}

export function emptyPageBody(tableUrl: string, table: string): string {
  return JSON.stringify({ "odata.metadata": `${tableUrl}/$metadata#${table}`, value: [] });
}
