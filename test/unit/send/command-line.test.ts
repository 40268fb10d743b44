import { describe, expect, test } from "vitest";

import { readSendCommand, usage } from "../../../local/send/command-line.ts";

const hook = "http://127.0.0.1:7071/api/hooks/0123456789abcdef0123456789abcdef";

describe("the command line of npm run send", () => {
  test("takes the vendor first, and the rest in any order", () => {
    const argv = ["github", "--times", "50", "--at-once", "--id", "a", "--hook", hook, "--secret", "s"];
    expect(readSendCommand(argv, {})).toMatchObject({
      vendor: "github",
      event: "pull_request.opened",
      secret: "s",
      deliveryId: "a",
      times: 50,
      atOnce: true,
      tamper: false,
    });
  });

  test("takes the secret from the environment, which no shell history keeps", () => {
    const read = readSendCommand(["stripe", "--hook", hook], { INTERLOCK_HOOK_SECRET: "whsec_x" });
    expect(read.secret).toBe("whsec_x");
    const both = readSendCommand(["stripe", "--hook", hook, "--secret", "y"], { INTERLOCK_HOOK_SECRET: "x" });
    expect(both.secret).toBe("y");
  });

  test.each([
    [[], /Name the vendor first: github, gitlab/],
    [["--hook", hook], /Name the vendor first: github/],
    [["gitea"], /Name the vendor first, not 'gitea': github/],
    [["github", "--hook", hook], /secret is missing: --secret, or the variable INTERLOCK_HOOK_SECRET/],
    [["github", "--secret", "s"], /--hook URL is missing/],
    [["github", "--secret", "s", "--hook", ""], /--hook URL is missing/],
    [["github", "--secret", "s", "--hook", "7071"], /--hook takes the address of a hook, not '7071'/],
    [
      ["github", "--secret", "s", "--hook", hook, "--event", "pull"],
      /no sample 'pull' of github; there are pull_/,
    ],
    [["github", "--secret", "s", "--hook", hook, "--times", "0"], /--times takes a number from 1/],
    [["github", "--secret", "s", "--hook", hook, "--bogus"], /Unknown option '--bogus'/],
  ])("answers %j in one readable line", (argv, message) => {
    expect(() => readSendCommand(argv, {})).toThrow(message);
  });

  test("with a file, any event will do", () => {
    const argv = ["github", "--secret", "s", "--hook", hook, "--event", "deployment", "--file", "body.json"];
    expect(readSendCommand(argv, {})).toMatchObject({ event: "deployment", file: "body.json" });
  });

  test("the help lists every sample", () => {
    expect(usage).toContain("pull_request.opened, pull_request.closed");
    expect(usage).toContain("order.shipped");
  });
});
