import type { LogLine } from "../../local/host/log.ts";
import { hookSecretName } from "../../shared/connections/connection.ts";
import type { Envelope } from "../../shared/envelope/envelope.ts";
import { findWebhook, inboxTable, type StoredWebhook } from "../../shared/ledgers/inbox.ts";
import { type ApiAnswer, createApiClient } from "./api-client.ts";
import { type Scenario, startScenario } from "./scenario.ts";
import { findText } from "./search-stores.ts";
import {
  connectionSettings,
  type SignedWebhook,
  signedWebhook,
  type Signer,
  type SigningCase,
} from "./sign/signing-cases.ts";
import type { HeaderValues } from "./sign/signers.ts";
import type { TestStack } from "./test-stack.ts";
import { until } from "./until.ts";

/**
 * A stack whose one route passes every event on to the sink as it is, hooks of every source on it, and a record of all
 * that was logged and answered.
 */
export interface HookBench extends Scenario {
  readonly connectSource: (how: SigningCase, settings?: object, client?: Scenario["api"]) => Promise<Hook>;
  /** The event as the sink got it. */
  readonly arrived: (correlationId: string) => Promise<Arrived>;
  readonly stored: (correlationId: string, tenantId?: string) => Promise<StoredWebhook>;
  /** Inbox rows of a connection. */
  readonly storedBy: (connectionId: string) => Promise<number>;
  readonly logged: (event: string) => readonly Readonly<Record<string, unknown>>[];
  /** Where a secret of the connections made here is to be found: in tables, blobs, log lines or answers. */
  readonly leaks: () => Promise<readonly string[]>;
}

export interface Hook {
  readonly connectionId: string;
  readonly signer: Signer;
  readonly how: SigningCase;
  /** Holds the answer against the OpenAPI document. */
  readonly send: (webhook: Sent) => Promise<HookAnswer>;
  /** Sends a sample of the source, signed. */
  readonly deliver: (options?: Parameters<typeof signedWebhook>[2]) => Promise<HookAnswer>;
  readonly sample: (options?: Parameters<typeof signedWebhook>[2]) => SignedWebhook;
  /** Signs any bytes; the headers are those of a sample, unless they are overridden. */
  readonly signed: (body: string | Uint8Array, headers?: HeaderValues) => Sent;
}

export interface Sent {
  readonly headers: HeaderValues;
  readonly body: Uint8Array;
}

export interface HookAnswer extends ApiAnswer {
  readonly body: {
    readonly correlationId: string;
    readonly duplicate?: boolean;
    readonly code?: string;
    readonly detail?: string;
    readonly errors?: readonly { readonly path: string; readonly message: string }[];
  };
}

export interface Arrived {
  readonly event: Envelope;
  readonly headers: Readonly<Record<string, string>>;
}

/** Once for each delivery, whatever it says: what came in is what arrives. */
const passOn = {
  routeName: "pass-on",
  enabled: true,
  subject: "#",
  endpointKey: "sink",
  operation: { kind: "generic-http", method: "POST", path: "/events" },
  ledger: { keyFormulaRef: "DELIVERY" },
};

export async function startHookBench(settings: Readonly<Record<string, string>> = {}): Promise<HookBench> {
  const lines: LogLine[] = [];
  const scenario = await startScenario({ settings, log: (line) => void lines.push(line) });
  await scenario.configure([passOn]);
  const { stack, sink } = scenario;
  const sender = createApiClient(stack.host.url);
  const answers: string[] = [];
  const secrets: string[] = [];

  async function connectSource(how: SigningCase, more: object = {}, client = scenario.api): Promise<Hook> {
    const signer = how.newSigner();
    secrets.push(signer.secret);
    const body = { ...connectionSettings(how, signer.secret), ...more };
    const made = await client.request("POST", "/api/v1/connections", { body });
    if (made.status !== 201) throw new Error(`The connection was not made: ${made.text}`);
    const { connectionId } = made.body as { connectionId: string };
    const send = async (webhook: Sent): Promise<HookAnswer> => {
      const answer = await sender.request("POST", `/api/hooks/${connectionId}`, webhook);
      answers.push(answer.text);
      return answer as HookAnswer;
    };
    const sample: Hook["sample"] = (options) => signedWebhook(how, signer, options);
    return {
      connectionId,
      signer,
      how,
      send,
      sample,
      deliver: (options) => send(sample(options)),
      signed: (text, headers = {}) => {
        const content = Buffer.from(text);
        const id = `msg_${crypto.randomUUID()}`;
        return {
          headers: { ...sample().headers, ...signer.sign(content, new Date(), id), ...headers },
          body: content,
        };
      },
    };
  }

  return {
    ...scenario,
    connectSource,
    arrived: (correlationId) =>
      until(`the event ${correlationId} at the sink`, () => {
        const found = sink.requests.find(({ headers }) => headers["x-correlation-id"] === correlationId);
        return found && { event: JSON.parse(found.body) as Envelope, headers: found.headers };
      }),
    stored: async (correlationId, tenantId = "demo") => {
      const found = await findWebhook(await stack.platform.table(inboxTable), tenantId, correlationId);
      if (found === undefined) throw new Error(`There is no webhook ${correlationId} in the inbox`);
      return found;
    },
    storedBy: (connectionId) => countRows(stack, connectionId),
    logged: (event) =>
      lines.flatMap(({ message }) => {
        if (!message.startsWith("{")) return [];
        const line = JSON.parse(message) as Record<string, unknown>;
        return line["event"] === event ? [line] : [];
      }),
    leaks: async () => {
      const said = [...lines.map(({ message }) => message), ...answers].join("\n");
      return [
        ...secrets.filter((secret) => said.includes(secret)).map(() => "a log line or an answer"),
        ...(await findText(stack.platform, secrets)),
      ];
    },
  };
}

/** Makes the vault forget the secrets of a connection, behind the back of the connection's row. */
export async function loseSecrets({ platform }: TestStack, connectionId: string): Promise<void> {
  await (await platform.secrets()).beginDeleteSecret(hookSecretName(connectionId));
}

async function countRows({ platform }: TestStack, connectionId: string): Promise<number> {
  const table = await platform.table(inboxTable);
  let count = 0;
  for await (const row of table.listEntities<{ envelope?: string }>()) {
    if (row.envelope?.includes(connectionId) === true) count++;
  }
  return count;
}
