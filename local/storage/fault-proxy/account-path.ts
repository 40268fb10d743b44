/** A request's target without the account's name, which is the first segment of its path. */
export function accountPath(target: string): { readonly path: string; readonly query: URLSearchParams } {
  const { pathname, searchParams } = new URL(target, "http://storage");
  return { path: decoded(pathname.split("/").slice(2).join("/")), query: searchParams };
}

/** What is encoded wrongly is left to the service, which has an error for it. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
