import { describe, expect, test } from "vitest";

import { parseRoutePath } from "../../../local/host/http/route-path.ts";
import { createRouter, type Router } from "../../../local/host/http/router.ts";
import { hostedFunction } from "../../support/hosted-function.ts";

function http(name: string, route?: string, methods?: string[]) {
  return hostedFunction(name, { trigger: { ...(route && { route }), ...(methods && { methods }) } });
}

function found(router: Router, method: string, pathname: string): string | undefined {
  const path = parseRoutePath(pathname);
  return path && router.find(method, path)?.route.fn.name;
}

describe("the router", () => {
  test("a function without a route answers to its name, behind the prefix", () => {
    const router = createRouter([http("hello")], "api");
    expect(found(router, "GET", "/api/hello")).toBe("hello");
    expect(found(router, "GET", "/hello")).toBeUndefined();
  });

  test("the most particular template wins, segment by segment, in whatever order they were registered", () => {
    const templates = ["{*all:alpha}", "{*all}", "{x}", "{x:int}", "{a}.{b}", "one", "one/{x}", "{x}/two"];
    const router = createRouter(templates.map((route, index) => http(`f${index}`, route)).toReversed(), "");
    const routeAt = (path: string): string | undefined => {
      const name = found(router, "GET", path);
      return name && templates[Number(name.slice(1))];
    };
    expect(routeAt("/one")).toBe("one");
    expect(routeAt("/1.2")).toBe("{a}.{b}");
    expect(routeAt("/12")).toBe("{x:int}");
    expect(routeAt("/abc")).toBe("{x}");
    expect(routeAt("/one/two")).toBe("one/{x}");
    expect(routeAt("/1/two")).toBe("{x}/two");
    expect(routeAt("/1/three")).toBe("{*all}");
    expect(routeAt("/")).toBe("{*all}");
  });

  test("one route may be shared by functions with different methods", () => {
    const router = createRouter([http("read", "item", ["GET"]), http("write", "item", ["put"])], "api");
    expect(found(router, "GET", "/api/item")).toBe("read");
    expect(found(router, "PUT", "/api/item")).toBe("write");
    expect(found(router, "DELETE", "/api/item")).toBeUndefined();
  });

  test("a less particular template answers the methods the better one does not", () => {
    const router = createRouter([http("exact", "a", ["GET"]), http("any", "{x}", ["POST"])], "");
    expect(found(router, "POST", "/a")).toBe("any");
  });

  test("two functions with the same shape of route and a common method stop the host", () => {
    const functions = [http("one", "item/{id}", ["GET", "POST"]), http("two", "ITEM/{key}", ["POST"])];
    expect(() => createRouter(functions, "api")).toThrow(
      "Functions 'one' and 'two' both answer route 'api/ITEM/{key}'",
    );
  });

  test("templates that differ in their constraints do not clash", () => {
    const router = createRouter([http("number", "{x:int}"), http("text", "{x}")], "api");
    expect(found(router, "GET", "/api/5")).toBe("number");
    expect(found(router, "GET", "/api/five")).toBe("text");
  });

  test("a template that cannot be read stops the host and names the function", () => {
    expect(() => createRouter([http("bad", "a/{x")], "api")).toThrow(
      /^Function 'bad': route 'a\/\{x' is not a route template: /,
    );
    expect(() => createRouter([http("slash", "/a")], "api")).toThrow("Function 'slash': route '/a'");
  });

  test.each([
    ["admin/users", "api"],
    ["Administration", "api"],
    ["admin", ""],
    ["runtime/x", ""],
  ])("route %s behind prefix '%s' is reserved", (route, prefix) => {
    expect(() => createRouter([http("mine", route)], prefix)).toThrow(
      `Function 'mine': route '${route}' is reserved`,
    );
  });

  test("runtime is free behind a prefix", () => {
    expect(found(createRouter([http("mine", "runtime/x")], "api"), "GET", "/api/runtime/x")).toBe("mine");
  });

  test("a disabled function has no route and clashes with none", () => {
    const off = hostedFunction("off", { trigger: { route: "a" }, disabled: true });
    expect(found(createRouter([off, http("on", "a")], ""), "GET", "/a")).toBe("on");
    expect(found(createRouter([off], ""), "GET", "/a")).toBeUndefined();
  });
});
