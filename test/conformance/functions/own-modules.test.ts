import { rmSync } from "node:fs";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createHost } from "../../../local/host/host.ts";
import { standaloneApp } from "../../support/standalone-app.ts";

const source = `
const { app } = require("@azure/functions");
app.http("where", { handler: () => ({ body: require.resolve("@azure/functions") }) });
`;

let root: string;
let host: Awaited<ReturnType<typeof createHost>>;

beforeAll(async () => {
  root = standaloneApp(
    {
      "package.json": '{ "name": "standalone", "main": "src/functions/*.js" }',
      "host.json": '{ "version": "2.0" }',
      "src/functions/where.js": source,
    },
    ["@azure/functions"],
  );
  host = await createHost({ scriptRoot: root, port: 0, log: () => {} });
});
afterAll(async () => {
  await host.stop();
  rmSync(root, { recursive: true });
});

describe("an app with modules of its own", () => {
  test("runs with its own copy of the library", async () => {
    const response = await fetch(`${host.url}/api/where`);
    expect(await response.text()).toMatch(/standalone-app-.*node_modules.@azure.functions/);
  });
});
