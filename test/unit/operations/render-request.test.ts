import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Endpoint } from "../../../shared/config/route-schema.ts";
import { ClassifiedError } from "../../../shared/failures/classify.ts";
import { renderRequest, type RequestTemplate } from "../../../shared/operations/render-request.ts";
import { inputWith } from "./example.ts";

const render = (
  template: RequestTemplate,
  data: unknown = {},
  endpoint: Partial<Endpoint> = {},
): ReturnType<typeof renderRequest> =>
  renderRequest({ url: "https://vendor.example/api", ...endpoint }, template, inputWith(data));

function failingOf(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    if (error instanceof ClassifiedError) return error.failing;
    throw error;
  }
  throw new Error("Nothing was thrown.");
}

describe("the address", () => {
  test.each([
    ["https://vendor.example", "/items", "https://vendor.example/items"],
    ["https://vendor.example/", "/items", "https://vendor.example/items"],
    ["https://vendor.example/api/", "items", "https://vendor.example/api/items"],
    ["https://vendor.example/api", "", "https://vendor.example/api"],
    ["https://vendor.example/api/", "", "https://vendor.example/api/"],
    ["https://vendor.example/api?v=1", "/items?q=2", "https://vendor.example/api/items?v=1&q=2"],
    ["https://vendor.example/api", "?q=2", "https://vendor.example/api?q=2"],
    ["https://vendor.example", "@evil.example/x", "https://vendor.example/@evil.example/x"],
    ["https://vendor.example", ".evil.example/x", "https://vendor.example/.evil.example/x"],
    ["https://vendor.example", "//evil.example/x", "https://vendor.example//evil.example/x"],
    ["https://vendor.example", "/a#b", "https://vendor.example/a%23b"],
  ])("%s and %s make %s", (url, path, expected) => {
    expect(render({ path }, {}, { url }).url.href).toBe(expected);
  });

  test("SEC-03: no value of an event can change host, path or the number of parameters", () => {
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "..",
        ".",
        "../..",
        "a/../b",
        "%2e%2e",
        "\\..\\",
        "?x=1",
        "#",
        "@evil",
        "//evil",
        "a&b=c",
        "\r\n",
      ),
    );
    fc.assert(
      fc.property(value, value, (id, query) => {
        let url: URL;
        try {
          ({ url } = render({ path: "/items/{{data.id}}/notes?q={{data.query}}&z=1" }, { id, query }));
        } catch (error) {
          if (error instanceof ClassifiedError) return;
          throw error;
        }
        expect(url.host).toBe("vendor.example");
        expect(url.pathname.split("/")).toEqual(["", "api", "items", encodeURIComponent(id), "notes"]);
        expect([...url.searchParams.keys()]).toEqual(["q", "z"]);
        expect(url.searchParams.get("q")).toBe(query);
      }),
      { numRuns: 500 },
    );
  });

  test.each([{ id: "" }, { id: null }, {}, { id: ".." }, { id: "." }])(
    "ERR-01: %j in the path is a problem of the payload",
    (data) => {
      expect(failingOf(() => render({ path: "/items/{{data.id}}" }, data))).toMatchObject({
        classification: "Validation",
        code: "PAYLOAD_UNFIT",
        mayHaveHappened: false,
      });
    },
  );

  test("two values that are harmless alone cannot climb together", () => {
    expect(failingOf(() => render({ path: "/a/{{data.x}}{{data.x}}/b" }, { x: "." }))).toMatchObject({
      code: "PAYLOAD_UNFIT",
    });
  });

  test("ERR-01: an endpoint without an address is a problem of the configuration", () => {
    expect(failingOf(() => render({}, {}, { url: "vendor" }))).toMatchObject({
      classification: "Poison",
      code: "CONFIG_INVALID",
    });
  });
});

describe("headers", () => {
  test("come from the endpoint, then from the operation, whatever their case", () => {
    const { headers } = render(
      { headers: { "X-B": "{{data.b}}", ACCEPT: "text/plain" } },
      { b: 2 },
      {
        headers: { "x-a": "1", "x-b": "1" },
      },
    );
    expect(headers).toMatchObject({ "x-a": "1", "x-b": "2", accept: "text/plain" });
    expect(headers["user-agent"]).toMatch(/^Interlock\/\d/);
  });

  test.each(["Host", "content-length", "Transfer-Encoding", "connection", "expect", "a b", ""])(
    "ERR-01: %j cannot be set",
    (name) => {
      expect(failingOf(() => render({ headers: { [name]: "x" } }))).toMatchObject({ code: "CONFIG_INVALID" });
    },
  );

  test("a line break in a value begins no header", () => {
    const broken = { value: "a\r\nx-admin: 1" };
    expect(failingOf(() => render({ headers: { "x-a": "{{data.value}}" } }, broken))).toMatchObject({
      code: "PAYLOAD_UNFIT",
    });
    expect(failingOf(() => render({ headers: { "x-a": "a\nb" } }))).toMatchObject({ code: "CONFIG_INVALID" });
  });
});

describe("the body", () => {
  test("is the whole envelope where the route gives none", () => {
    const { headers, body = "" } = render({}, { a: 1 });
    expect(headers["content-type"]).toBe("application/cloudevents+json");
    expect(JSON.parse(body)).toEqual(inputWith({ a: 1 }).envelope);
  });

  test("is filled from the event, the route and the attempt", () => {
    const template = {
      n: "{{data.n}}",
      text: "{{event.type}} {{routeName}} {{attempt}}",
      key: "{{idempotencyKey}}",
    };
    const { headers, body = "" } = render({ body: template }, { n: [1, { a: null }] });
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(body)).toEqual({
      n: [1, { a: null }],
      text: "github.events.pull_request.opened r1 1",
      key: "key-1",
    });
  });

  test("is a text as it stands where the content is no JSON", () => {
    const headers = { "content-type": "text/plain" };
    expect(render({ headers, body: "Hello {{data.who}}" }, { who: '"you"' }).body).toBe('Hello "you"');
    expect(render({ body: "Hello" }).body).toBe('"Hello"');
  });

  test("is none for GET and DELETE, unless the route gives one", () => {
    expect(render({ method: "GET" })).not.toHaveProperty("body");
    expect(render({ method: "DELETE" })).not.toHaveProperty("body");
    expect(render({ method: "DELETE", body: { a: 1 } }).body).toBe('{"a":1}');
  });

  test("ERR-01: that would be nothing is a problem of the payload", () => {
    expect(failingOf(() => render({ body: "{{data.missing}}" }))).toMatchObject({ code: "PAYLOAD_UNFIT" });
  });
});
