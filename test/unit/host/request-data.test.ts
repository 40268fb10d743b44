import { describe, expect, test } from "vitest";

import { queryOf } from "../../../local/host/http/request-data.ts";

describe("the query of a request", () => {
  test.each([
    ["?a=1&b=2", { a: "1", b: "2" }],
    ["?a=1&a=2&A=3", { a: "1,2,3" }],
    ["?flag&empty=", { flag: "", empty: "" }],
    ["?a=b+c%20d%26", { a: "b c d&" }],
    ["", {}],
  ])("%s reads %j", (search, query) => {
    expect(queryOf(new URL(`http://host/${search}`))).toEqual(query);
  });
});
