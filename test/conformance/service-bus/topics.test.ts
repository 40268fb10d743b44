import { afterAll, beforeAll, expect, test } from "vitest";

import { failureOf, receiveOne, startBus, until, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

const sql = (name: string, expression: string, action?: string) => ({
  Name: name,
  Properties: {
    FilterType: "Sql",
    SqlFilter: { SqlExpression: expression },
    ...(action === undefined ? {} : { Action: { SqlExpression: action } }),
  },
});
const correlation = (name: string, filter: object) => ({
  Name: name,
  Properties: { FilterType: "Correlation", CorrelationFilter: filter },
});

beforeAll(async () => {
  bus = await startBus({
    topics: {
      fan: { subscriptions: { a: {}, b: {} } },
      correlated: {
        subscriptions: {
          eu: { Rules: [correlation("by-fields", { Label: "order.created", Properties: { region: "eu" } })] },
          all: {},
        },
      },
      sql: {
        subscriptions: {
          large: {
            Rules: [
              sql(
                "large",
                "sys.Label LIKE 'order.%' AND amount >= 1000",
                "SET priority = 'high'; REMOVE secret",
              ),
            ],
          },
          never: { Rules: [sql("never", "1=0")] },
          plural: { Rules: [sql("one", "1=1"), sql("two", "1=1"), sql("acting", "1=1", "SET acted = 1")] },
          faulty: { Rules: [sql("faulty", "1 / zero > 0")], DeadLetteringOnFilterEvaluationExceptions: true },
        },
      },
      dead: { subscriptions: { one: { MaxDeliveryCount: 1 }, two: {} } },
      scheduled: { subscriptions: { one: {} } },
      rules: { subscriptions: { managed: {} } },
      short: {
        properties: { DefaultMessageTimeToLive: "PT10S" },
        subscriptions: { one: { DeadLetteringOnMessageExpiration: true } },
      },
    },
  });
});

afterAll(() => bus.stop());

const peekAll = async (topic: string, subscription: string) => {
  const client = bus.connect();
  const messages = await client.createReceiver(topic, subscription).peekMessages(100);
  await client.close();
  return messages;
};

test("topic: fan-out: every subscription gets its own copy, with its own number and the topic's", async () => {
  await bus.client.createSender("fan").sendMessages([{ body: 1 }, { body: 2 }]);
  for (const name of ["a", "b"]) {
    const receiver = bus.client.createReceiver("fan", name);
    const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5000 });
    expect(
      messages.map(({ body, enqueuedSequenceNumber }) => [body as number, enqueuedSequenceNumber]),
    ).toEqual([
      [1, 1],
      [2, 2],
    ]);
    await receiver.completeMessage(messages[0]!);
    expect(await peekAll("fan", name)).toHaveLength(1);
  }
});

test("topic: correlation filter: all given fields must be equal, in value and case", async () => {
  const message = (subject: string, region: unknown) => ({
    body: `${subject} ${String(region)}`,
    subject,
    applicationProperties: { region: region as string },
  });
  const sender = bus.client.createSender("correlated");
  await sender.sendMessages([
    message("order.created", "eu"),
    message("order.created", "us"),
    message("order.paid", "eu"),
    message("Order.Created", "eu"),
  ]);
  expect((await peekAll("correlated", "eu")).map(({ body }) => body as string)).toEqual(["order.created eu"]);
  expect(await peekAll("correlated", "all")).toHaveLength(4);
});

test("topic: SQL filter and action: selects by expression and changes the copy", async () => {
  const order = (amount: number) => ({
    body: amount,
    subject: "order.created",
    applicationProperties: { amount, secret: "s" },
  });
  await bus.client
    .createSender("sql")
    .sendMessages([order(999), order(1000), { body: "no amount", subject: "order.created" }]);
  const large = await peekAll("sql", "large");
  expect(
    large.map(({ body, applicationProperties }) => ({ body: body as number, applicationProperties })),
  ).toEqual([{ body: 1000, applicationProperties: { amount: 1000, priority: "high" } }]);
});

test("topic: false filter: nothing is selected", async () => {
  await bus.client.createSender("sql").sendMessages({ body: "x" });
  expect(await peekAll("sql", "never")).toEqual([]);
});

test("topic: several matching rules: one copy for those without action, one more for each with an action", async () => {
  await bus.client.createSender("sql").sendMessages({ body: "plural", messageId: "p" });
  const copies = (await peekAll("sql", "plural")).filter(({ messageId }) => messageId === "p");
  expect(copies.map(({ applicationProperties }) => applicationProperties)).toEqual([undefined, { acted: 1 }]);
});

test("topic: a rule that fails on a message: dead-letters it where that is configured", async () => {
  await bus.client.createSender("sql").sendMessages({ body: "bad", applicationProperties: { zero: 0 } });
  const dead = await receiveOne(bus.client.createReceiver("sql", "faulty", { subQueueType: "deadLetter" }));
  expect(dead).toMatchObject({ body: "bad", deadLetterErrorDescription: "Division by zero." });
});

test("subscription: dead-letter queue: belongs to one subscription alone", async () => {
  await bus.client.createSender("dead").sendMessages({ body: "x" });
  const receiver = bus.client.createReceiver("dead", "one");
  await receiver.abandonMessage(await receiveOne(receiver));
  const dead = await receiveOne(bus.client.createReceiver("dead", "one", { subQueueType: "deadLetter" }));
  expect(dead.deadLetterReason).toBe("MaxDeliveryCountExceeded");
  expect(await peekAll("dead", "two")).toHaveLength(1);
});

test("topic: schedule and cancel: a scheduled message is published when it is due", async () => {
  const sender = bus.client.createSender("scheduled");
  const due = new Date(bus.clock.now() + 60_000);
  const [kept, cancelled] = await sender.scheduleMessages([{ body: "kept" }, { body: "cancelled" }], due);
  expect(kept).toBeDefined();
  await sender.cancelScheduledMessages(cancelled!);
  expect(await peekAll("scheduled", "one")).toEqual([]);
  bus.clock.advance(60_000);
  expect((await peekAll("scheduled", "one")).map(({ body }) => body as string)).toEqual(["kept"]);
});

test("topic: time to live: the topic's default bounds its subscriptions'", async () => {
  await bus.client.createSender("short").sendMessages({ body: "x" });
  bus.clock.advance(10_000);
  const dead = await receiveOne(bus.client.createReceiver("short", "one", { subQueueType: "deadLetter" }));
  expect(dead.deadLetterReason).toBe("TTLExpiredException");
});

test("subscription: rule manager: rules are listed, added, removed, and decide at once", async () => {
  const rules = bus.client.createRuleManager("rules", "managed");
  const list = async () => {
    const found = [];
    for await (const rule of rules.listRules()) found.push(rule);
    return found;
  };
  expect(await list()).toMatchObject([{ name: "$Default" }]);
  await rules.deleteRule("$Default");
  await rules.createRule("sql", { sqlExpression: "colour = 'red'" }, { sqlExpression: "SET seen = 1" });
  await rules.createRule("correlated", {
    subject: "s",
    correlationId: "c",
    applicationProperties: { n: 5, flag: true },
  });
  expect(await list()).toMatchObject([
    { name: "sql", filter: { sqlExpression: "colour = 'red'" }, action: { sqlExpression: "SET seen = 1" } },
    {
      name: "correlated",
      filter: { subject: "s", correlationId: "c", applicationProperties: { n: 5, flag: true } },
    },
  ]);
  await bus.client.createSender("rules").sendMessages([
    { body: "red", applicationProperties: { colour: "red" } },
    { body: "blue", applicationProperties: { colour: "blue" } },
    { body: "by fields", subject: "s", correlationId: "c", applicationProperties: { n: 5, flag: true } },
  ]);
  await until(async () => (await peekAll("rules", "managed")).length === 2);
  expect((await peekAll("rules", "managed")).map(({ body }) => body as string)).toEqual(["red", "by fields"]);
});

test("subscription: rule manager: an existing name, an unknown name and a bad expression are refused", async () => {
  const rules = bus.client.createRuleManager("rules", "managed");
  await rules.createRule("twice", { sqlExpression: "1=1" });
  expect(await failureOf(rules.createRule("twice", { sqlExpression: "1=1" }))).toMatchObject({
    code: "MessagingEntityAlreadyExists",
  });
  expect(await failureOf(rules.deleteRule("unknown"))).toMatchObject({ code: "MessagingEntityNotFound" });
  expect((await failureOf(rules.createRule("bad", { sqlExpression: "a = = b" }))).message).toMatch(
    /ArgumentError/,
  );
  expect((await failureOf(rules.createRule("bad", { sqlExpression: "sys.Unknown = 1" }))).message).toMatch(
    /sys\.Unknown/,
  );
});
