/** Values as they cross between host and worker. Exactly one field is set; none means "no value". */
export interface TypedData {
  readonly string?: string;
  readonly json?: string;
  readonly bytes?: Uint8Array;
  readonly int?: number;
  readonly double?: number;
  readonly http?: HttpData;
  readonly collectionString?: { readonly string: readonly string[] };
  readonly collectionBytes?: { readonly bytes: readonly Uint8Array[] };
}

export interface HttpData {
  readonly method?: string;
  readonly url?: string;
  readonly statusCode?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly nullableHeaders?: NullableStrings;
  readonly nullableParams?: NullableStrings;
  readonly nullableQuery?: NullableStrings;
  readonly body?: TypedData | null;
  readonly cookies?: readonly CookieData[];
}

export type NullableStrings = Readonly<Record<string, { readonly value: string }>>;

export interface CookieData {
  readonly name: string;
  readonly value: string;
  readonly domain?: { readonly value: string };
  readonly path?: { readonly value: string };
  readonly expires?: { readonly value: { readonly seconds: number } };
  readonly secure?: { readonly value: boolean };
  readonly httpOnly?: { readonly value: boolean };
  readonly maxAge?: { readonly value: number };
  /** `none` means that the attribute is absent. */
  readonly sameSite?: "none" | "lax" | "strict" | "explicitNone";
}

export interface InvocationRequest {
  readonly invocationId: string;
  readonly functionId: string;
  /** The trigger first, then every other input. */
  readonly inputData: readonly { readonly name: string; readonly data: TypedData }[];
  readonly triggerMetadata: Readonly<Record<string, TypedData>>;
  readonly traceContext?: TraceContext;
  readonly retryContext?: RetryContext;
}

export interface TraceContext {
  readonly traceParent: string;
  readonly traceState: string;
  readonly attributes: Readonly<Record<string, string>>;
}

export interface RetryContext {
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly exception?: { readonly source: string; readonly stackTrace: string; readonly message: string };
}

export interface InvocationResponse {
  readonly outputData?: readonly { readonly name: string; readonly data: TypedData }[];
  readonly returnValue?: TypedData | null;
}

/** The JSON text of a value a handler gave back; undefined when it gave none. */
export function jsonTextOf(data: TypedData | null | undefined): string | undefined {
  if (data === null || data === undefined) return undefined;
  if (data.json !== undefined) return data.json;
  if (data.string !== undefined) return JSON.stringify(data.string);
  if (data.int !== undefined) return JSON.stringify(data.int);
  if (data.double !== undefined) return JSON.stringify(data.double);
  if (data.bytes !== undefined) return JSON.stringify(Buffer.from(data.bytes).toString("base64"));
  return undefined;
}
