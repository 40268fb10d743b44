import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

import { ServiceBusClient } from "@azure/service-bus";
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";

import { contents, receiveOne, retryOptions, startBus, until, type BusUnderTest } from "./bus-under-test.ts";

let bus: BusUnderTest;

beforeAll(async () => {
  bus = await startBus({ queues: { alive: {}, recorded: {} } });
});

afterAll(() => bus.stop());

const saslHeader = Buffer.from("AMQP\x03\x01\x00\x00", "latin1");
const amqpHeader = Buffer.from("AMQP\x00\x01\x00\x00", "latin1");

/** A generator of its own, so that a failure can be repeated from the seed it prints. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function seeded(seed: number): (below: number) => number {
  onTestFailed(() => console.error(`repeat with seed ${seed}`));
  return randomFrom(seed);
}

const randomBytes = (random: (below: number) => number, length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => random(256)));

/** Sends bytes on a connection of its own and waits until the server has answered, hung up, or read it all. */
async function attack(...chunks: readonly Buffer[]): Promise<void> {
  const socket = connect(bus.server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  socket.resume();
  await once(socket, "connect");
  for (const chunk of chunks) if (socket.writable) socket.write(chunk);
  socket.end();
  await closed(socket);
}

/** `once` of node:events would fail on the error that a refused peer may well see first. */
const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });

/** Whether the server still serves a client. */
async function isAlive(): Promise<boolean> {
  const client = bus.connect();
  const body = `alive ${Math.random()}`;
  await client.createSender("alive").sendMessages({ body });
  const receiver = client.createReceiver("alive", { receiveMode: "receiveAndDelete" });
  const message = await receiveOne(receiver);
  await client.close();
  return message.body === body;
}

/** What a client of the SDK says while it sends, receives and peeks, frame by frame. */
async function recordClient(): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = [];
  const proxy = createServer((near) => {
    const far = connect(bus.server.port, "127.0.0.1");
    near.on("data", (chunk) => chunks.push(chunk));
    near.on("error", () => undefined);
    far.on("error", () => undefined);
    near.pipe(far).pipe(near);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as { port: number };
  const connectionString = bus.server.connectionString.replace(`:${bus.server.port};`, `:${port};`);
  const client = new ServiceBusClient(connectionString, { retryOptions });
  await client
    .createSender("recorded")
    .sendMessages([{ body: 1, applicationProperties: { a: "b" } }, { body: 2 }]);
  const receiver = client.createReceiver("recorded");
  await receiver.completeMessage(await receiveOne(receiver));
  await receiver.peekMessages(1);
  await client.close();
  proxy.close();
  return splitFrames(Buffer.concat(chunks));
}

function splitFrames(bytes: Buffer): readonly Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const size = bytes.toString("latin1", at, at + 4) === "AMQP" ? 8 : bytes.readUInt32BE(at);
    frames.push(bytes.subarray(at, at + size));
    at += size;
  }
  return frames;
}

test("hostile peers: random bytes, HTTP and TLS: the server stays up", async () => {
  const random = seeded(20_240_601);
  await attack(Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  await attack(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]));
  for (let round = 0; round < 50; round++) await attack(randomBytes(random, 1 + random(2000)));
  for (let round = 0; round < 50; round++) await attack(saslHeader, randomBytes(random, 1 + random(2000)));
  expect(await isAlive()).toBe(true);
});

test("hostile peers: mutated frames of a real client: the server stays up", async () => {
  const seed = 4711;
  const random = seeded(seed);
  const frames = await recordClient();
  expect(frames.length).toBeGreaterThan(20);
  const before = (await contents(bus, "recorded")).length;
  await replay(frames);
  expect(await contents(bus, "recorded")).toHaveLength(before + 1);
  for (let round = 0; round < 250; round++) {
    const victim = 2 + random(frames.length - 2);
    const mutated = frames.map((frame, index) => (index === victim ? mutate(frame, random) : frame));
    await replay(mutated);
  }
  expect(await isAlive()).toBe(true);
});

/** Changes some bytes behind the frame's size, or its size, or its length. */
function mutate(frame: Buffer, random: (below: number) => number): Buffer {
  const copy = Buffer.from(frame);
  switch (random(4)) {
    case 0:
      return copy.subarray(0, random(copy.length));
    case 1:
      return Buffer.concat([copy, randomBytes(random, random(30))]);
    case 2:
      if (copy.length >= 4) copy.writeUInt32BE(random(100_000), 0);
      return copy;
    default:
      for (let times = 1 + random(4); times > 0; times--)
        copy[4 + random(Math.max(1, copy.length - 4))] = random(256);
      return copy;
  }
}

/** The opening must be answered before the rest is sent, or the server never looks at it. */
async function replay(frames: readonly Buffer[]): Promise<void> {
  const socket = connect(bus.server.port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(Buffer.concat(frames.slice(0, 2)));
  await Promise.race([new Promise((resolve) => socket.once("data", resolve)), closed(socket)]);
  socket.resume();
  await new Promise((resolve) => setImmediate(resolve));
  for (const frame of frames.slice(2)) if (socket.writable) socket.write(frame);
  socket.end();
  await closed(socket);
}

test("hostile peers: oversize and bottomless frames: are refused before they are collected", async () => {
  const oversize = Buffer.alloc(8);
  oversize.writeUInt32BE(0xff_ff_ff_f0, 0);
  oversize.writeUInt16BE(0x02_01, 4);
  const before = process.memoryUsage().rss;
  await attack(saslHeader, oversize, Buffer.alloc(20_000_000));
  /** An array of four billion nulls in eleven bytes. */
  const bomb = Buffer.from(
    "0000001702010000005341c00a01f0000000050000ffff40".replace("0000ffff", "ffffffff"),
    "hex",
  );
  await attack(saslHeader, bomb);
  await attack(saslHeader, Buffer.from("00000010020100000000000000000000", "hex"));
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  expect(await isAlive()).toBe(true);
});

test("hostile peers: a transfer without end: is not kept beyond the size of a message", async () => {
  const frames = await recordClient();
  const sent = frames.findIndex((frame) => frame.includes(Buffer.from("0080013700", "hex").subarray(1)));
  expect(sent).toBeGreaterThan(0);
  const piece = Buffer.alloc(60_000);
  Buffer.from("0000ea6002000000005314c009064343a0010043424100", "hex").copy(piece);
  piece.writeUInt16BE(frames[sent]!.readUInt16BE(6), 6);
  const before = process.memoryUsage().rss;
  await replay([...frames.slice(0, sent), ...Array.from({ length: 3000 }, () => piece)]);
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  expect(await isAlive()).toBe(true);
});

test("hostile peers: 1,000 idle and half-open connections: others are served, and hanging up leaves nothing behind", async () => {
  const sockets = await Promise.all(
    Array.from({ length: 1000 }, async (_, index): Promise<Socket> => {
      const socket = connect(bus.server.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      if (index % 3 === 1) socket.write(saslHeader);
      if (index % 3 === 2) socket.write(amqpHeader.subarray(0, 5));
      return socket;
    }),
  );
  expect(await isAlive()).toBe(true);
  for (const socket of sockets) socket.destroy();
  await until(() => sockets.every((socket) => socket.closed));
  expect(await isAlive()).toBe(true);
});
