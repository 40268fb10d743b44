import { bundlesFor, type Bundles } from "./bundles.ts";
import { badParameter, notSupported } from "./errors.ts";
import { pageOf, type PageRequest } from "./paging.ts";
import { checkName, readSetBody, readUpdateBody } from "./secret-body.ts";
import type { SecretStore } from "./store.ts";

export interface Call {
  readonly method: string;
  /** Scheme and authority as the client wrote them. */
  readonly base: string;
  readonly url: URL;
  readonly body: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body?: object;
}

interface Context {
  readonly store: SecretStore;
  readonly bundles: Bundles;
  readonly page: PageRequest;
  readonly name: string;
  readonly version: string | undefined;
  readonly body: unknown;
}

const ok = (body: object): Answer => ({ status: 200, body });

const getSecret = ({ store, bundles, name, version }: Context): Answer =>
  ok(bundles.withValue(store.secret(name), store.readable(name, version)));

const updateSecret = ({ store, bundles, name, version, body }: Context): Answer => {
  const updated = store.update(name, version, readUpdateBody(body));
  return ok(bundles.withoutValue(store.secret(name), updated));
};

const routes: Readonly<Record<string, (context: Context) => Answer>> = {
  "PUT secrets/{name}": ({ store, bundles, name, body }) => {
    const { value, properties } = readSetBody(body);
    const { secret, version } = store.set(name, value, properties);
    return ok(bundles.withValue(secret, version));
  },
  "GET secrets/{name}": getSecret,
  "GET secrets/{name}/{version}": getSecret,
  "PATCH secrets/{name}": updateSecret,
  "PATCH secrets/{name}/{version}": updateSecret,
  "GET secrets": ({ store, bundles, page }) =>
    ok(pageOf(store.secrets(), ({ name }) => name.toLowerCase(), bundles.secretItem, page)),
  /** In the order of their ids, which is not the order of time; the service promises no order either. */
  "GET secrets/{name}/versions": ({ store, bundles, page, name }) => {
    const secret = store.secret(name);
    const show = (version: (typeof secret)["latest"]): object => bundles.withoutValue(secret, version);
    return ok(pageOf(secret.versions.values(), ({ id }) => id, show, page));
  },
  "DELETE secrets/{name}": ({ store, bundles, name }) => ok(bundles.deleted(store.delete(name))),
  "GET deletedsecrets": ({ store, bundles, page }) =>
    ok(pageOf(store.deletedSecrets(), ({ secret }) => secret.name.toLowerCase(), bundles.deletedItem, page)),
  "GET deletedsecrets/{name}": ({ store, bundles, name }) => ok(bundles.deleted(store.deletedSecret(name))),
  "POST deletedsecrets/{name}/recover": ({ store, bundles, name }) => {
    const secret = store.recover(name);
    return ok(bundles.withoutValue(secret, secret.latest));
  },
  "DELETE deletedsecrets/{name}": ({ store, name }) => {
    store.purge(name);
    return { status: 204 };
  },
};

export function answer(store: SecretStore, { method, base, url, body }: Call): Answer {
  const [collection = "", name, third] = segments(url.pathname);
  const literal = third === "versions" || third === "recover";
  const tail = third === undefined ? "" : `/${literal ? third : "{version}"}`;
  const run = routes[`${method} ${collection}${name === undefined ? "" : "/{name}"}${tail}`];
  if (!run) throw notSupported(`${method} ${url.pathname}`);
  if (url.searchParams.get("api-version") === null) throw badParameter("api-version must be specified.");
  return run({
    store,
    bundles: bundlesFor(base),
    page: { url: `${base}${url.pathname}`, query: url.searchParams },
    name: name === undefined ? "" : checkName(name),
    version: literal ? undefined : third,
    body,
  });
}

function segments(pathname: string): string[] {
  try {
    return pathname.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    throw badParameter("The request URI is not encoded correctly.");
  }
}
