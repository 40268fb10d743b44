import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { readBody, readConnection } from "../../../local/send/read-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

function saved(text: string): string {
  const path = join(temporaryFolder(), "connection.json");
  writeFileSync(path, text);
  return path;
}

describe("a saved connection", () => {
  test("gives the address, the secret and how to sign", () => {
    const answer = {
      connectionId: "c",
      hookUrl: "http://127.0.0.1:7071/api/hooks/c",
      secret: "s",
      schemeConfig: { header: "X-Signature" },
    };
    const { connectionId: _, ...wanted } = answer;
    expect(readConnection(saved(JSON.stringify(answer)))).toEqual(wanted);
  });

  test("that is a refusal says what the API said", () => {
    const path = saved('{"status":401,"detail":"The API key is unknown."}');
    expect(() => readConnection(path)).toThrow("holds no connection but a refusal: The API key is unknown.");
  });

  test("that cannot be read is named", () => {
    expect(() => readConnection(saved("<html>"))).toThrow(/connection\.json is not JSON/);
    expect(() => readConnection(saved(""))).toThrow("is empty: the connection was not made");
    expect(() => readConnection(saved("null"))).toThrow("holds no connection");
    expect(() => readBody("/nowhere/body.json")).toThrow(/^\/nowhere\/body\.json cannot be read: ENOENT/);
  });
});
