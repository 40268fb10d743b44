import { array, assert, constantFrom, jsonValue, property, string } from "fast-check";
import { describe, expect, test } from "vitest";

import { forHeader, forUrl } from "../../../shared/json/escapes.ts";
import { pathsIn, TemplateProblem } from "../../../shared/json/template-syntax.ts";
import { renderJson, renderText } from "../../../shared/json/template.ts";

const scope = {
  event: { correlationid: "c-1", type: "github.events.issue.opened" },
  data: {
    number: 7,
    title: 'Say "hi"',
    labels: [{ name: "a" }, { name: "b" }],
    open: true,
    nothing: null,
    deep: { x: [1] },
  },
  routeName: "copy-issue",
  attempt: 2,
};

describe("a JSON template", () => {
  test("keeps the type of a value that stands alone", () => {
    const template = {
      number: "{{data.number}}",
      open: "{{ data.open }}",
      names: "{{data.labels[*].name}}",
      deep: "{{data.deep}}",
      nothing: "{{data.nothing}}",
    };
    expect(renderJson(template, scope)).toEqual({
      number: 7,
      open: true,
      names: ["a", "b"],
      deep: { x: [1] },
      nothing: null,
    });
  });

  test("writes values into texts, structures as JSON, and what is missing or null as nothing", () => {
    const template =
      "#{{data.number}} {{data.title}} {{data.deep}} [{{data.nothing}}{{data.absent}}] {{attempt}}";
    expect(renderJson(template, scope)).toBe('#7 Say "hi" {"x":[1]} [] 2');
  });

  test("leaves out properties and items whose value is missing", () => {
    const template = { a: "{{data.absent}}", list: ["{{data.absent}}", 1, "{{data.number}}"], keep: null };
    expect(renderJson(template, scope)).toEqual({ list: [1, 7], keep: null });
  });

  test("changes nothing that is no placeholder", () => {
    const template = { a: ["{x}", "}}", 1, true, null], "{{data.number}}": "key" };
    expect(renderJson(template, scope)).toEqual(template);
  });

  test("has a way to write two braces", () => {
    expect(renderJson("\\{{data.number}} is {{data.number}}", scope)).toBe("{{data.number}} is 7");
  });

  test("does not fill in what a value brings along", () => {
    const hostile = { data: { title: "{{event.secret}}" }, event: { secret: "s" } };
    expect(renderJson({ title: "x {{data.title}}" }, hostile)).toEqual({ title: "x {{event.secret}}" });
  });

  test("cannot reach a prototype, and takes __proto__ for a key like any other", () => {
    expect(renderJson("{{data.constructor}}-{{data.__proto__.x}}", scope)).toBe("-");
    const rendered = renderJson(JSON.parse('{"__proto__": {"polluted": "{{data.number}}"}}'), scope);
    expect(JSON.stringify(rendered)).toBe('{"__proto__":{"polluted":7}}');
    expect({}).not.toHaveProperty("polluted");
  });

  test("stops where it would grow beyond its limit, however often a value is repeated", () => {
    const large = { data: { text: "x".repeat(1000) } };
    const template = Array.from({ length: 2000 }, () => "{{data}}");
    expect(() => renderJson(template, large)).toThrow("longer than 1000000 characters");
    expect(() => renderText("{{data.text}}{{data.text}}", large, undefined, 1500)).toThrow(TemplateProblem);
    expect(renderText("{{data.text}}", large, undefined, 1500)).toHaveLength(1000);
  });

  test("names the value that is nested too deep to be sent", () => {
    const deep: unknown = JSON.parse("[".repeat(200_000) + "]".repeat(200_000));
    expect(() => renderJson({ a: "{{data}}" }, { data: deep })).toThrow("nested too deep");
  });

  test("is filled or refused, and nothing else, whatever it and the scope hold", () => {
    const piece = constantFrom("{{", "}}", "data", ".", "[*]", "x", "\\", "{", " ");
    assert(
      property(array(piece), jsonValue(), (pieces, data) => {
        renderJson([pieces.join("")], { data });
      }),
    );
  });

  test("without placeholders comes out as it went in", () => {
    assert(
      property(jsonValue(), (template) => {
        const text = JSON.stringify(template).replaceAll("{{", "");
        expect(JSON.stringify(renderJson(JSON.parse(text), {}))).toBe(text);
      }),
    );
  });
});

describe("the check of a template", () => {
  test("finds the paths it reads", () => {
    expect(pathsIn({ a: "{{data.x}} {{ event.id }}", b: ["{{data.y[*].z}}"], c: 1 })).toEqual([
      "data.x",
      "event.id",
      "data.y[*].z",
    ]);
  });

  test.each(["{{", "a {{data.x", "{{}}", "{{data..x}}", "{{data.x}} {{"])("refuses %s", (template) => {
    expect(() => pathsIn(template)).toThrow(TemplateProblem);
  });

  test("is quick on a text of nothing but braces", () => {
    const started = performance.now();
    expect(() => pathsIn("{".repeat(400_000))).toThrow(TemplateProblem);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("a text for an address", () => {
  const url = (template: string, data: unknown): string => renderText(template, { data }, forUrl);

  test("has every value escaped for its place", () => {
    expect(url("/items/{{data.id}}?q={{data.q}}&r=1", { id: "a/b?c#d", q: "x&y=z é" })).toBe(
      "/items/a%2Fb%3Fc%23d?q=x%26y%3Dz%20%C3%A9&r=1",
    );
  });

  test.each([
    ["an empty value would name all items", ""],
    ["a missing value would, too", undefined],
    ["a dot stays where it is", "."],
    ["two dots climb out", ".."],
    ["half a character has no bytes", "\ud800"],
  ])("refuses what would lead elsewhere: %s", (_, id) => {
    expect(() => url("/items/{{data.id}}", { id })).toThrow(TemplateProblem);
  });

  test("may have nothing in a query", () => {
    expect(url("/items?since={{data.since}}", {})).toBe("/items?since=");
  });

  test("keeps to its host and path, whatever the value", () => {
    const id = string({ unit: "binary", minLength: 1 }).filter((text) => !/^\.{1,2}$/.test(text));
    assert(
      property(id, (value) => {
        const path = url("/v1/items/{{data.id}}/close", { id: value });
        const { host, pathname, search, hash } = new URL(`https://api.example.com${path}`);
        expect({ host, search, hash }).toEqual({ host: "api.example.com", search: "", hash: "" });
        expect(pathname.split("/")).toEqual(["", "v1", "items", expect.any(String) as unknown, "close"]);
      }),
    );
  });
});

describe("a text for a header", () => {
  test.each(["a\r\nx-admin: 1", "a\nb", "a\0b", "日本"])("refuses %j", (value) => {
    expect(() => renderText("v {{data}}", { data: value }, forHeader)).toThrow(TemplateProblem);
  });

  test("takes what HTTP can carry", () => {
    expect(renderText("v {{data}}", { data: "é, ok" }, forHeader)).toBe("v é, ok");
  });
});
