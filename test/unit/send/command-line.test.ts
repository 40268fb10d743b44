import { describe, expect, test } from "vitest";

import { readSendCommand, type SendCommand, usage } from "../../../local/send/command-line.ts";
import type { SavedConnection } from "../../../local/send/read-files.ts";

const hook = "http://127.0.0.1:7071/api/hooks/0123456789abcdef0123456789abcdef";
const typed = ["--hook", hook, "--secret", "s"];

function read(
  argv: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  saved: SavedConnection = {},
): SendCommand {
  return readSendCommand(argv, environment, () => saved);
}

describe("the command line of npm run send", () => {
  test("takes the vendor first, and the rest in any order", () => {
    const argv = ["github", "--times", "50", "--at-once", "--id", "a", ...typed];
    expect(read(argv)).toMatchObject({
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
    const environment = { INTERLOCK_HOOK_SECRET: "whsec_x" };
    expect(read(["stripe", "--hook", hook], environment).secret).toBe("whsec_x");
    expect(read(["stripe", ...typed], environment).secret).toBe("s");
  });

  test("takes everything from a saved connection, unless it is typed", () => {
    const schemeConfig = { header: "X-Shop-Signature" };
    const saved = { hookUrl: hook, secret: "made up", schemeConfig };
    const argv = ["generic", "--connection", "shop.json"];
    expect(read(argv, {}, saved)).toMatchObject({ secret: "made up", hmacSettings: schemeConfig });
    expect(read(argv, {}, saved).hook.href).toBe(hook);
    expect(read([...argv, "--secret", "t"], {}, saved).secret).toBe("t");
  });

  test.each<[readonly string[], RegExp]>([
    [[], /Name the vendor first: github, gitlab/],
    [typed, /Name the vendor first: github/],
    [["gitea"], /Name the vendor first, not 'gitea': github/],
    [["github", "--hook", hook], /secret is missing: --secret, or the variable INTERLOCK_HOOK_SECRET/],
    [["github", "--secret", "s"], /address is missing: --hook, or --connection/],
    [["github", "--secret", "s", "--hook", ""], /address is missing/],
    [["github", "--secret", "s", "--hook", "7071"], /--hook takes the address of a hook, not '7071'/],
    [["github", ...typed, "--event", "pull"], /no sample 'pull' of github; there are pull_/],
    [["github", ...typed, "--times", "0"], /--times takes a number from 1/],
    [["github", ...typed, "--bogus"], /Unknown option '--bogus'/],
  ])("answers %j in one readable line", (argv, message) => {
    expect(() => read(argv)).toThrow(message);
  });

  test("with a file, any event will do", () => {
    const argv = ["github", ...typed, "--event", "deployment", "--file", "body.json"];
    expect(read(argv)).toMatchObject({ event: "deployment", file: "body.json" });
  });

  test("the help lists every sample", () => {
    expect(usage).toContain("pull_request.opened, pull_request.closed");
    expect(usage).toContain("order.shipped");
  });
});
