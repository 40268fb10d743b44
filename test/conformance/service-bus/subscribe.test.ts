import { afterAll, beforeAll, expect, test } from "vitest";

import { contents, signal, startBus, until, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  bus = await startBus({
    queues: { concurrent: {}, stop: {}, throwing: { MaxDeliveryCount: 3 }, round: {} },
  });
});

afterAll(() => bus.stop());

const noError = { processError: () => Promise.resolve() };
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ body: n }));

test("subscribe: concurrency: never more handlers at once than allowed, and everything is completed", async () => {
  let running = 0;
  let most = 0;
  let handled = 0;
  const receiver = bus.client.createReceiver("concurrent");
  receiver.subscribe(
    {
      async processMessage() {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        handled++;
      },
      ...noError,
    },
    { maxConcurrentCalls: 5 },
  );
  await bus.client.createSender("concurrent").sendMessages(numbered(200));
  await until(() => handled === 200);
  await until(async () => (await contents(bus, "concurrent")).length === 0);
  expect(most).toBe(5);
  await receiver.close();
});

test("subscribe: stop: after close no further message is delivered", async () => {
  const first = signal();
  let handled = 0;
  const receiver = bus.client.createReceiver("stop");
  const subscription = receiver.subscribe({
    processMessage() {
      handled++;
      first.resolve();
      return Promise.resolve();
    },
    ...noError,
  });
  const sender = bus.client.createSender("stop");
  await sender.sendMessages({ body: 0 });
  await first.promise;
  await subscription.close();
  await sender.sendMessages({ body: 1 });
  await until(async () => (await contents(bus, "stop")).length === 1);
  expect(handled).toBe(1);
  await receiver.close();
});

test("subscribe: a handler that throws: the message is abandoned and at last dead-lettered", async () => {
  const counts: (number | undefined)[] = [];
  const receiver = bus.client.createReceiver("throwing");
  receiver.subscribe({
    processMessage({ deliveryCount }) {
      counts.push(deliveryCount);
      return Promise.reject(new Error("cannot"));
    },
    ...noError,
  });
  await bus.client.createSender("throwing").sendMessages({ body: 0 });
  await until(async () => (await contents(bus, "throwing", "deadLetter")).length === 1);
  expect(counts).toEqual([0, 1, 2]);
  await receiver.close();
});

test("subscribe: several receivers: messages are shared out, none is delivered twice", async () => {
  const seen = [new Set<number>(), new Set<number>()] as const;
  const receivers = seen.map((mine) => {
    const receiver = bus.connect().createReceiver("round");
    receiver.subscribe(
      {
        processMessage({ body }) {
          mine.add(body as number);
          return Promise.resolve();
        },
        ...noError,
      },
      { maxConcurrentCalls: 10 },
    );
    return receiver;
  });
  const sender = bus.client.createSender("round");
  await Promise.all(numbered(300).map((message) => sender.sendMessages(message)));
  await until(() => seen[0].size + seen[1].size === 300);
  expect([...seen[0]].filter((n) => seen[1].has(n))).toEqual([]);
  expect(Math.min(seen[0].size, seen[1].size)).toBeGreaterThan(0);
  await Promise.all(receivers.map((receiver) => receiver.close()));
});
