import { describe, expect, test } from "vitest";

import type { Answer } from "../../../local/send/deliver.ts";
import { report } from "../../../local/send/report.ts";

const hook = new URL("http://127.0.0.1:7071/api/hooks/0123456789abcdef0123456789abcdef");

const accepted = (correlationId: string, duplicate: boolean): Answer => ({
  status: 202,
  text: JSON.stringify({ correlationId, duplicate }),
  tookMs: 12.3,
});

describe("what npm run send says", () => {
  test("an accepted webhook comes with the command that shows what became of it", () => {
    expect(report(hook, [accepted("c1", false)], 13)).toBe(
      [
        '202 in 12 ms: {"correlationId":"c1","duplicate":false}',
        "",
        "See what became of it:",
        '  curl -s "http://127.0.0.1:7071/api/v1/correlations/c1" -H "x-api-key: $KEY"' +
          " | node -p 'JSON.parse(fs.readFileSync(0)).timeline'",
      ].join("\n"),
    );
  });

  test("many are counted by what they were answered with", () => {
    const answers = [accepted("c1", false), accepted("c1", true), accepted("c1", true)];
    const said = report(hook, answers, 40.4);
    expect(said).toContain("3 sent in 40 ms, the slowest took 12 ms:");
    expect(said).toContain("1 x 202\n");
    expect(said).toContain("2 x 202, a duplicate\n");
    expect(said).toContain("/correlations/c1");
    expect(report(hook, [accepted("c1", false), accepted("c2", false)], 1)).toContain('/v1/events"');
  });

  test("what is kept in quarantine leads to the dead letters", () => {
    const said = report(hook, [{ status: 422, text: "{}", tookMs: 3 }], 3);
    expect(said).toContain("/api/v1/dead-letters");
  });

  test("a refusal is shown whole, and leads to the audit", () => {
    const text = JSON.stringify({ code: "signature-invalid", detail: "mismatch" });
    const said = report(hook, [{ status: 401, text, tookMs: 3 }], 3);
    expect(said).toContain('401 in 3 ms: {\n  "code": "signature-invalid"');
    expect(said).toContain("/api/v1/audit");
  });

  test("what a hook answers while it is set up is shown as it is", () => {
    expect(report(hook, [{ status: 200, text: "verified", tookMs: 3 }], 3)).toBe("200 in 3 ms: verified");
  });
});
