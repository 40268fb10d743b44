import { describe, expect, test } from "vitest";

import { matchTemplate, type RouteValues } from "../../../local/host/http/match.ts";
import { parseRoutePath } from "../../../local/host/http/route-path.ts";
import { parseTemplate } from "../../../local/host/http/template.ts";

function match(template: string, pathname: string): RouteValues | undefined {
  const path = parseRoutePath(pathname);
  if (path === undefined) throw new Error(`${pathname} is malformed`);
  return matchTemplate(parseTemplate(template), path);
}

describe("a route template", () => {
  test.each([
    ["hello", "/hello", {}],
    ["Hello/World", "/hello/WORLD", {}],
    ["hello", "/hello/", {}],
    ["hello", "/hello/x", undefined],
    ["hello", "/", undefined],
    ["a/{x}", "/a/b", { x: "b" }],
    ["a/{x}", "/a", undefined],
    ["a/{x}", "/a/", undefined],
    ["a/{x}", "/a//", undefined],
    ["a/{x}/c", "/a/b/c", { x: "b" }],
    ["a/{x?}", "/a", {}],
    ["a/{x?}", "/a/b", { x: "b" }],
    ["a/{x=1}", "/a", { x: "1" }],
    ["a/{x=1}/{y=2}", "/a/9", { x: "9", y: "2" }],
    ["a/{x=}", "/a", { x: "" }],
    ["a/{*rest}", "/a", {}],
    ["a/{*rest}", "/a/b/c", { rest: "b/c" }],
    ["a/{**rest}", "/a/b/c/", { rest: "b/c/" }],
    ["a/{*rest=none}", "/a", { rest: "none" }],
    ["a/{*rest:minlength(3)}", "/a/bc", undefined],
    ["a/{*rest:minlength(3)}", "/a/b/c", { rest: "b/c" }],
    ["a/{*rest:minlength(3)}", "/a", undefined],
    ["{name}.{ext}", "/a.b.c", { name: "a.b", ext: "c" }],
    ["{name}.{ext}", "/a", undefined],
    ["{name}.{ext?}", "/a.b", { name: "a", ext: "b" }],
    ["{name}.{ext?}", "/a", { name: "a" }],
    ["{name}.{ext?}", "/a.", undefined],
    ["v{major:int}-{minor:int}", "/V1-2", { major: "1", minor: "2" }],
    ["v{major:int}-{minor:int}", "/v1-x", undefined],
    ["a{{b}}c", "/a{b}c", {}],
    ["a/{x:int}/{y:bool}", "/a/1/TRUE", { x: "1", y: "TRUE" }],
    ["a/{x:int?}", "/a", {}],
    ["a/{x:int?}", "/a/b", undefined],
    ["a/{x:int=7}", "/a", { x: "7" }],
    ["a/{x:required}", "/a/b", { x: "b" }],
    ["a/{x:required=}", "/a", undefined],
    ["a/{x:int:min(3):max(5)}", "/a/4", { x: "4" }],
    ["a/{x:int:min(3):max(5)}", "/a/6", undefined],
    ["a/{x:regex(^\\d{{3}}-[a-c]+$)}", "/a/123-ABC", { x: "123-ABC" }],
    ["a/{x:regex(^\\d{{3}}$)}", "/a/12", undefined],
    ["a/{x:regex(^b:c=d$)}", "/a/b:c=d", { x: "b:c=d" }],
  ])("%s against %s gives %j", (template, pathname, values) => {
    expect(match(template, pathname)).toEqual(values);
  });

  test.each([
    ["int", "2147483647", "2147483648"],
    ["long", "9223372036854775807", "9223372036854775808"],
    ["bool", "false", "no"],
    ["datetime", "2026-01-31T10:00:00", "1"],
    ["datetime", "31 Jan 2026", "yesterday"],
    ["decimal", "-1,000.5", "1e5"],
    ["double", "1.5e-3", "1.5.1"],
    ["float", "-.5", "abc"],
    ["guid", "6F9619FF-8B86-D011-B42D-00CF4FC964FF", "6F9619FF"],
    ["guid", "6f9619ff8b86d011b42d00cf4fc964ff", "g"],
    ["alpha", "Abc", "a1"],
    ["minlength(2)", "ab", "a"],
    ["maxlength(2)", "ab", "abc"],
    ["length(2)", "ab", "abc"],
    ["length(2,3)", "abc", "abcd"],
    ["min(-3)", "-3", "-4"],
    ["max(10)", "+10", "11"],
    ["range(1,3)", "3", "4"],
    ["regex(^[a-c]+$)", "ABC", "abd"],
  ])("the constraint %s takes %s and not %s", (constraint, good, bad) => {
    expect(match(`{x:${constraint}}`, `/${good}`)).toEqual({ x: good });
    expect(match(`{x:${constraint}}`, `/${bad}`)).toBeUndefined();
  });

  test.each([
    ["/a", "starts with '/'"],
    ["a//b", "two slashes"],
    ["a/{x", "no partner"],
    ["a/x}", "no partner"],
    ["a/{}", "no valid parameter name"],
    ["a/{x*}", "no valid parameter name"],
    ["{x}/{X}", "twice"],
    ["{x}{y}", "nothing separates {x} from {y}"],
    ["{*x}/a", "whole last segment"],
    ["a{*x}", "whole last segment"],
    ["{*x?}", "cannot be optional"],
    ["{x=1?}", "cannot be optional and have a default"],
    ["{x?}.{y}", "must end its segment"],
    ["{x}-{y?}", "after a '.'"],
    ["{x:number}", "not a constraint"],
    ["{x:min}", "takes 1 argument"],
    ["{x:min(a)}", "whole numbers"],
    ["{x:regex([)}", "not a regular expression"],
    ["{x:regex(a}", "closing parenthesis"],
    ["a?b", "outside braces"],
  ])("%s is refused: %s", (template, reason) => {
    expect(() => parseTemplate(template)).toThrow(reason);
  });

  test("parameters are percent-decoded, but an encoded slash stays one", () => {
    expect(match("a/{x}", "/a/%C3%A9%20%2B%25")).toEqual({ x: "é +%" });
    expect(match("a/{x}", "/a/b%2Fc")).toEqual({ x: "b%2Fc" });
  });

  test.each(["/a/%", "/a/%zz", "/%C3"])("the path %s is malformed", (pathname) => {
    expect(parseRoutePath(pathname)).toBeUndefined();
  });
});
