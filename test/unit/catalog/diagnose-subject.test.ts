import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";

import { catalogSubjects } from "../../../shared/catalog/catalog.ts";
import { diagnoseSubject } from "../../../shared/catalog/diagnose-subject.ts";
import { wordDistance } from "../../../shared/catalog/distance.ts";
import { nearestSubjects } from "../../../shared/catalog/nearest-subjects.ts";

describe("ING-10: a subject that is named", () => {
  test.each([
    "github.events.push",
    "github.events.pull_request.opened",
    "github.events.*.opened",
    "github.#",
    "#",
    "gitlab.events.issue.created",
    "stripe.events.invoice.paid",
    "stripe.events.customer.subscription.*",
    "tfc.events.run.completed",
    "workfront.events.project.updated",
    "slack.events.slash_command.weather",
    "slack.events.slash_command.*",
    "github.events.repository_dispatch.my_own_type",
    "external.events.gitlab",
  ])("%s is known", (subject) => {
    expect(diagnoseSubject(subject, catalogSubjects)).toBeUndefined();
  });

  test.each([
    ["github.events.pull_request.opend", "github.events.pull_request.opened"],
    ["github.events.pul_request.opened", "github.events.pull_request.opened"],
    ["github.event.pull_request.opened", "github.events.pull_request.opened"],
    ["gihtub.events.push", "github.events.push"],
    ["github.events.issue.opened", "github.events.issues.opened"],
    ["github.pull_request.opened", "github.events.pull_request.opened"],
    ["GitHub.Events.Push", "github.events.push"],
    ["gitlab.events.issues.created", "gitlab.events.issue.created"],
    ["gitlab.issue.created", "gitlab.events.issue.created"],
    ["gitlab.events.merge-request.merged", "gitlab.events.merge_request.merged"],
    ["stripe.events.invoice.payed", "stripe.events.invoice.paid"],
    ["stripe.events.subscription.deleted", "stripe.events.customer.subscription.deleted"],
    ["tfc.events.run.complete", "tfc.events.run.completed"],
    ["workfront.events.project.update", "workfront.events.project.updated"],
    ["slack.event.message", "slack.events.message"],
    ["external.event.gitlab", "external.events.gitlab"],
  ])("%s was probably meant to be %s", (written, meant) => {
    const found = diagnoseSubject(written, catalogSubjects);
    expect(found?.suggestions[0]).toBe(meant);
    expect(found?.message).toContain(`did you mean '${meant}'`);
  });

  test("as a pattern gets its nearest match too", () => {
    const found = diagnoseSubject("github.events.pul_request.*", catalogSubjects);
    expect(found?.suggestions[0]).toMatch(/^github\.events\.pull_request\./);
    expect(diagnoseSubject("githib.#", catalogSubjects)?.suggestions[0]).toMatch(/^github\./);
  });

  test("with a word that does not exist is told those that do", () => {
    expect(diagnoseSubject("tfc.events.run.discarded", catalogSubjects)).toEqual({
      message:
        "The subject 'tfc.events.run.discarded' is unknown; known below 'tfc.events.run' are " +
        "'tfc.events.run.created', 'tfc.events.run.planning', 'tfc.events.run.needs_attention', " +
        "'tfc.events.run.applying', 'tfc.events.run.completed', 'tfc.events.run.errored'.",
      suggestions: [],
    });
  });

  test("of a system nobody has heard of is told so, until its first event arrived", () => {
    const found = diagnoseSubject("shop.events.order.shipped", catalogSubjects);
    expect(found?.suggestions).toEqual([]);
    expect(found?.message).toContain("nothing from 'shop' is in the catalog");
    const observed = [...catalogSubjects, "shop.events.order.shipped"];
    expect(diagnoseSubject("shop.events.order.shipped", observed)).toBeUndefined();
    expect(diagnoseSubject("shop.events.order.shiped", observed)?.suggestions).toEqual([
      "shop.events.order.shipped",
    ]);
  });

  test("may be any text: the answer comes fast", () => {
    const started = performance.now();
    assert(
      property(string({ maxLength: 200 }), (text) => {
        expect(() => diagnoseSubject(text, catalogSubjects)).not.toThrow();
      }),
    );
    nearestSubjects("a.".repeat(99), catalogSubjects);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe("the distance between words", () => {
  test.each([
    ["opened", "opened", 0],
    ["opend", "opened", 1],
    ["opneed", "opened", 1],
    ["issue", "issues", 1],
    ["", "abc", 3],
    ["created", "opened", 4],
  ])("%s and %s: %i", (from, to, distance) => {
    expect(wordDistance(from, to, 9)).toBe(distance);
    expect(wordDistance(to, from, 9)).toBe(distance);
  });

  test("is not counted beyond its limit", () => {
    expect(wordDistance("aaaaaaaaaa", "bbbbbbbbbb", 2)).toBe(3);
    expect(wordDistance("a", "aaaaaaaaaaa", 2)).toBe(3);
  });
});
