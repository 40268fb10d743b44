import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startTestStack, type TestStack } from "../support/test-stack.ts";

const lines: string[] = [];
let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({ log: ({ level, message }) => void lines.push(`${level}: ${message}`) });
});

afterAll(() => stack.stop());

interface Readiness {
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly problem?: string }[];
}

async function readiness(): Promise<{ status: number; text: string; answer: Readiness }> {
  const response = await fetch(`${stack.host.url}/api/health/ready`);
  const text = await response.text();
  return { status: response.status, text, answer: JSON.parse(text) as Readiness };
}

describe("readiness", () => {
  test("is given when every service answers, several times at once as well", async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, readiness));
    for (const { status, answer } of answers) {
      expect(status).toBe(200);
      expect(answer.checks.map(({ name, ok }) => [name, ok])).toEqual(
        ["tables", "blobs", "bus", "vault", "orchestrations"].map((name) => [name, true]),
      );
    }
  });

  test("names what does not answer, and keeps its address for the log", async () => {
    const port =
      /Endpoint=sb:\/\/127\.0\.0\.1:(\d+)/.exec(stack.settings["ServiceBusConnection"] ?? "")?.[1] ?? "";
    await stack.stopBus();
    const { status, text, answer } = await readiness();
    expect(status).toBe(503);
    expect(answer.ready).toBe(false);
    expect(answer.checks.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["bus"]);
    expect(text).not.toContain(port);
    expect(lines.filter((line) => line.startsWith("Warning: bus does not answer"))).toHaveLength(1);
  });
});
