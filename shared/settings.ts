interface SettingRow {
  /** What it is for, and where its value comes from in Azure. */
  readonly purpose: string;
  /** The value for the local stack at its default ports; undefined where there is none. */
  readonly local?: string;
  /** One of the names in a group has to be set. */
  readonly group: "storage" | "bus" | "vault" | "identity" | "host" | "operation" | "outbound";
}

/**
 * Every app setting. The shape of the settings decides how a service is reached, never an "is local" flag: a
 * connection string where there is one, an address with managed identity otherwise. docs/settings.md is printed
 * from this table.
 */
export const settings = {
  FUNCTIONS_WORKER_RUNTIME: {
    group: "host",
    purpose: "Tells func which worker runs the app.",
    local: "node",
  },
  languageWorkers__node__arguments: {
    group: "host",
    purpose:
      "Arguments of Node; `--max-semi-space-size=64` takes a tenth off what a webhook costs under load. The local hosts have it.",
  },
  AzureWebJobsStorage: {
    group: "storage",
    purpose: "Connection string of the storage account; local only.",
    local:
      "DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;" +
      "AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;" +
      "BlobEndpoint=http://127.0.0.1:10000/devstoreaccount1;QueueEndpoint=http://127.0.0.1:10001/devstoreaccount1;" +
      "TableEndpoint=http://127.0.0.1:10002/devstoreaccount1;",
  },
  AzureWebJobsStorage__tableServiceUri: {
    group: "storage",
    purpose: "Table endpoint, with managed identity.",
  },
  AzureWebJobsStorage__blobServiceUri: { group: "storage", purpose: "Blob endpoint, with managed identity." },
  ServiceBusConnection: {
    group: "bus",
    purpose: "Connection string of the Service Bus namespace; local only.",
    local:
      "Endpoint=sb://127.0.0.1:5672;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;" +
      "UseDevelopmentEmulator=true;",
  },
  ServiceBusConnection__fullyQualifiedNamespace: {
    group: "bus",
    purpose: "Namespace such as name.servicebus.windows.net, with managed identity.",
  },
  KEY_VAULT_URL: {
    group: "vault",
    purpose: "Address of the vault that holds every secret. Plain http is accepted for loopback only.",
    local: "http://127.0.0.1:8200",
  },
  AZURE_CLIENT_ID: {
    group: "identity",
    purpose: "Client id of a user-assigned managed identity; without it the system-assigned one is used.",
  },
  OUTBOUND_ALLOW: {
    group: "outbound",
    purpose:
      "Hosts, addresses and ranges, separated by commas, that routes may reach although they are not public, and " +
      "without https. Empty in Azure, unless vendors stand in a private network.",
    local: "127.0.0.0/8,::1/128",
  },
  ENVIRONMENT_NAME: {
    group: "operation",
    purpose: "Said in every log line: dev, qa, prod.",
    local: "local",
  },
  LEASE_SECONDS: {
    group: "operation",
    purpose:
      "How long a host may be silent before another takes over what it left unfinished; 30 without it.",
  },
  TRUSTED_PROXIES: {
    group: "operation",
    purpose:
      "How many proxies in front of the app append to x-forwarded-for, Azure's own front end included; 1 without it. " +
      "The address that the outermost of them saw is the one that IP allow-lists are checked against.",
  },
} as const satisfies Record<string, SettingRow>;

export type SettingName = keyof typeof settings;
export type SettingValues = Readonly<Partial<Record<SettingName, string | undefined>>>;

/** What the local stack and `local.settings.sample.json` are made of. */
export function localSettings(): Record<string, string> {
  const rows: [string, SettingRow][] = Object.entries(settings);
  return Object.fromEntries(
    rows.flatMap(([name, { local }]) => (local === undefined ? [] : [[name, local]])),
  );
}
