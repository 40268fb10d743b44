import type { TypedData } from "../worker/typed-data.ts";

export const webhookPath = "/runtime/webhooks/durabletask";
export const rpcPath = "/durabletask";

const placeholder = "INSTANCEID";

interface ClientBindingOptions {
  readonly url: string;
  readonly hubName: string;
}

/** What a durable client needs to find its hub: the SDK talks to `rpcBaseUrl` and hands out the other addresses. */
export function durableClientBinding({ url, hubName }: ClientBindingOptions): TypedData {
  const base = `${url}${webhookPath}`;
  const required = `taskHub=${encodeURIComponent(hubName)}&connection=Storage&code=local`;
  return {
    string: JSON.stringify({
      taskHubName: hubName,
      creationUrls: {
        createNewInstancePostUri: `${base}/orchestrators/{functionName}[/{instanceId}]?code=local`,
        createAndWaitOnNewInstancePostUri: `${base}/orchestrators/{functionName}[/{instanceId}]?timeout={timeoutInSeconds}&pollingInterval={intervalInSeconds}&code=local`,
      },
      managementUrls: managementUrls(url, placeholder, required),
      baseUrl: base,
      requiredQueryStringParameters: "code=local",
      rpcBaseUrl: `${url}${rpcPath}/`,
    }),
  };
}

export function managementUrls(url: string, id: string, required = "code=local"): Record<string, string> {
  const instance = `${url}${webhookPath}/instances/${id}`;
  return {
    id,
    statusQueryGetUri: `${instance}?${required}`,
    sendEventPostUri: `${instance}/raiseEvent/{eventName}?${required}`,
    terminatePostUri: `${instance}/terminate?reason={text}&${required}`,
    rewindPostUri: `${instance}/rewind?reason={text}&${required}`,
    purgeHistoryDeleteUri: `${instance}?${required}`,
    restartPostUri: `${instance}/restart?${required}`,
    suspendPostUri: `${instance}/suspend?reason={text}&${required}`,
    resumePostUri: `${instance}/resume?reason={text}&${required}`,
  };
}
