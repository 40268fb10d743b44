import type { StorageFailure } from "./errors.ts";

type Described = Pick<StorageFailure, "code" | "message">;

/** As tables say it. */
export const odataError = ({ code, message }: Described): string =>
  JSON.stringify({ "odata.error": { code, message: { lang: "en-US", value: message } } });

/** As blobs say it; no code or message of ours needs escaping. */
export const xmlError = ({ code, message }: Described): string =>
  `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
