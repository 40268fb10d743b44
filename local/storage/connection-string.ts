/** The account every storage emulator knows; its key is public. */
const account = "devstoreaccount1";
const key = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

export interface StorageUrls {
  /** With the account's name as its path. */
  readonly blobUrl: string;
  readonly tableUrl: string;
  readonly queueUrl?: string;
}

export const accountUrl = (port: number): string => `http://127.0.0.1:${port}/${account}`;

export function connectionStringOf({ blobUrl, queueUrl, tableUrl }: StorageUrls): string {
  const queue = queueUrl === undefined ? "" : `QueueEndpoint=${queueUrl};`;
  return (
    `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};` +
    `BlobEndpoint=${blobUrl};${queue}TableEndpoint=${tableUrl};`
  );
}
