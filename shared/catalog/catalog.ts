import { genericFor } from "../ingest/make-envelope.ts";
import { sources } from "../sources/sources.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import type { SourceCatalog } from "./rows.ts";
import { type PayloadSchema, schemaOf } from "./schema-of.ts";
import { slack } from "./slack.ts";
import { stripe } from "./stripe.ts";
import { subjectsOverlap } from "./subject-pattern.ts";
import { terraformCloud } from "./terraform-cloud.ts";
import { workfront } from "./workfront.ts";

/** A subject that is known without ever having been observed. */
export interface KnownSubject {
  /** `github.events.push`; ends in `*` where the last word is the user's own. */
  readonly subject: string;
  /** Name of the source that sends it. */
  readonly source: string;
  readonly title: string;
  /** JSON Schema of the payload. */
  readonly schema: PayloadSchema;
}

/** The built-in event catalog, by source and then as the vendor lists them. */
export const catalog: readonly KnownSubject[] = [
  ...[github, gitlab, stripe, terraformCloud, workfront, slack].flatMap(subjectsIn),
  ...Object.keys(sources).map((source) => ({
    subject: genericFor(source).subject,
    source,
    title: "Any event of a source whose events are told apart behind the bus",
    schema: { type: ["object", "array"] },
  })),
];

/** What a diagnosis compares with, together with what was observed. */
export const catalogSubjects: readonly string[] = catalog.map(({ subject }) => subject);

const bySubject: ReadonlyMap<string, KnownSubject> = new Map(catalog.map((known) => [known.subject, known]));

/** Also finds the entry whose last word stands for any. */
export function findKnownSubject(subject: string): KnownSubject | undefined {
  return bySubject.get(subject) ?? catalog.find((known) => subjectsOverlap(known.subject, subject));
}

function subjectsIn({ source, prefix, rows }: SourceCatalog): readonly KnownSubject[] {
  return rows.flatMap(({ event, actions, title, fields }) => {
    const schema = schemaOf(fields);
    const subject = `${prefix}.events.${event}`;
    const subjects = actions === undefined ? [subject] : actions.map((action) => `${subject}.${action}`);
    return subjects.map((name) => ({ subject: name, source, title, schema }));
  });
}
