import type { CookieData } from "../worker/typed-data.ts";

const sameSiteNames = { lax: "lax", strict: "strict", explicitNone: "none" } as const;

/** The value of one Set-Cookie header as the platform's web server writes it: value encoded, path `/` by default. */
export function setCookie(cookie: CookieData): string {
  const { name, value, domain, path, expires, maxAge, secure, sameSite, httpOnly } = cookie;
  const parts = [`${name}=${encoded(value)}`];
  if (expires) parts.push(`expires=${new Date(expires.value.seconds * 1000).toUTCString()}`);
  if (maxAge) parts.push(`max-age=${Math.trunc(maxAge.value)}`);
  if (domain?.value) parts.push(`domain=${domain.value}`);
  parts.push(`path=${path?.value ?? "/"}`);
  if (secure?.value) parts.push("secure");
  if (sameSite !== undefined && sameSite !== "none") parts.push(`samesite=${sameSiteNames[sameSite]}`);
  if (httpOnly?.value) parts.push("httponly");
  return parts.join("; ");
}

function encoded(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
