import { describe, expect, test } from "vitest";

import { ConfigError, readConfig } from "../../../local/service-bus/config/read-config.ts";

const sample = `{
  // The namespace of the emulator
  "UserConfig": { "Namespaces": [{
    "Name": "sbemulatorns", /* fixed */
    "Queues": [{ "Name": "invoices", "Properties": {
      "LockDuration": "PT30S", "MaxDeliveryCount": 5, "DefaultMessageTimeToLive": "PT1H",
      "DeadLetteringOnMessageExpiration": true, "RequiresDuplicateDetection": true,
      "DuplicateDetectionHistoryTimeWindow": "PT1M", "RequiresSession": false,
      "ForwardTo": "", "ForwardDeadLetteredMessagesTo": "" } }],
    "Topics": [{ "Name": "events", "Properties": { "DefaultMessageTimeToLive": "PT1H" }, "Subscriptions": [
      { "Name": "audit" },
      { "Name": "eu", "Properties": { "LockDuration": "PT1M" }, "Rules": [
        { "Name": "fields", "Properties": { "FilterType": "Correlation",
          "CorrelationFilter": { "Label": "a // not a comment", "Properties": { "region": "eu", "n": 1 } } } },
        { "Name": "sql", "Properties": { "FilterType": "Sql", "SqlFilter": { "SqlExpression": "a > 1" },
          "Action": { "SqlExpression": "SET b = 2" } } } ] } ] }]
  }], "Logging": { "Type": "Console" } }
}`;

const namespace = (queues: unknown, topics: unknown = []) =>
  JSON.stringify({ UserConfig: { Namespaces: [{ Name: "n", Queues: queues, Topics: topics }] } });

describe("the configuration file", () => {
  test("of the emulator is read, comments and all", () => {
    expect(readConfig(sample)).toMatchObject({
      queues: [
        {
          name: "invoices",
          settings: {
            lockDurationMs: 30_000,
            maxDeliveryCount: 5,
            defaultTtlMs: 3_600_000,
            duplicateWindowMs: 60_000,
            forwardTo: undefined,
          },
        },
      ],
      topics: [
        {
          name: "events",
          settings: { defaultTtlMs: 3_600_000 },
          subscriptions: [
            { name: "audit", rules: [{ name: "$Default", filter: { kind: "true" } }] },
            {
              name: "eu",
              rules: [
                {
                  name: "fields",
                  filter: {
                    kind: "correlation",
                    fields: { subject: "a // not a comment" },
                    properties: { region: "eu", n: 1 },
                  },
                },
                { name: "sql", filter: { kind: "sql", expression: "a > 1" }, action: "SET b = 2" },
              ],
            },
          ],
        },
      ],
    });
  });

  test("names every mistake, with its path", () => {
    const queues = [
      { Name: "a", Properties: { LockDuration: "30s", MaxDeliveryCount: 0, Misspelt: 1 } },
      { Name: "A", Properties: { ForwardTo: "nowhere" } },
      { Properties: {} },
    ];
    const topics = [
      {
        Name: "t",
        Subscriptions: [
          {
            Name: "s",
            Rules: [{ Name: "r", Properties: { FilterType: "Sql", SqlFilter: { SqlExpression: "a =" } } }],
          },
        ],
      },
    ];
    const problems = (() => {
      try {
        readConfig(namespace(queues, topics));
      } catch (error) {
        return error instanceof ConfigError ? error.message : "";
      }
      return "";
    })();
    for (const expected of [
      'Queues[0].Properties.LockDuration must be an ISO 8601 duration such as "PT30S"',
      "Queues[0].Properties.MaxDeliveryCount must be a positive integer",
      "Queues[0].Properties.Misspelt is not known",
      "Queues[2].Name is missing",
      "'a' is there twice",
      "'A' forwards to 'nowhere', which does not exist",
      "The rule 'r' is not valid",
    ]) {
      expect(problems).toContain(expected);
    }
  });

  test.each([
    [
      "a misspelt key above the entities",
      '{"UserConfig":{"Namespaces":[{"Name":"n","Queues":[],"Topics":[],"Queue":[]}]}}',
    ],
    [
      "an unknown key at the top",
      '{"UserConfig":{"Namespaces":[{"Queues":[],"Topics":[]}]},"Userconfig":{}}',
    ],
    [
      "a correlation property that cannot be compared",
      namespace(
        [],
        [
          {
            Name: "t",
            Subscriptions: [
              {
                Name: "s",
                Rules: [
                  {
                    Name: "r",
                    Properties: {
                      FilterType: "Correlation",
                      CorrelationFilter: { Properties: { list: [1] } },
                    },
                  },
                ],
              },
            ],
          },
        ],
      ),
    ],
    ["nothing", "{}"],
    ["no JSON", "{"],
    ["two namespaces", '{"UserConfig":{"Namespaces":[{"Queues":[],"Topics":[]},{"Queues":[],"Topics":[]}]}}'],
    ["no topics", '{"UserConfig":{"Namespaces":[{"Queues":[]}]}}'],
  ])("with %s is refused", (_name, text) => {
    expect(() => readConfig(text)).toThrow(ConfigError);
  });
});
