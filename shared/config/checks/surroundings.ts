import { diagnoseSubject } from "../../catalog/diagnose-subject.ts";
import { formatPath } from "../../json/paths.ts";
import { type Diagnostic, diagnostic } from "../diagnostic.ts";
import type { RouteConfig } from "../route-schema.ts";

/** What the tenant has besides its configuration. */
export interface Surroundings {
  /** Subjects of the event catalog. */
  readonly knownSubjects: readonly string[];
  /** Ids of the tenant's connections; left out where nobody knows them, as when a file is checked. */
  readonly connections?: readonly string[];
}

/** What a configuration expects of the world: only warnings, for the world may follow. */
export function checkSurroundings(config: RouteConfig, surroundings: Surroundings): Diagnostic[] {
  const { knownSubjects, connections } = surroundings;
  const unknownConnection = (at: readonly (string | number)[], id: string | undefined): Diagnostic[] =>
    id === undefined || connections === undefined || connections.includes(id)
      ? []
      : [
          diagnostic(
            "UNKNOWN_CONNECTION",
            formatPath([...at, "connectionId"]),
            `There is no connection ${id}.`,
          ),
        ];
  const ofRoutes = config.routes.flatMap(({ subject, connectionId }, index) => {
    const at = ["routes", index];
    const found = subject === undefined ? undefined : diagnoseSubject(subject, knownSubjects);
    return [
      ...(found === undefined
        ? []
        : [
            diagnostic(
              "UNKNOWN_SUBJECT",
              formatPath([...at, "subject"]),
              found.message,
              found.suggestions[0],
            ),
          ]),
      ...unknownConnection(at, connectionId),
    ];
  });
  const ofSubscriptions = (config.subscriptions ?? []).flatMap(({ connectionId }, index) =>
    unknownConnection(["subscriptions", index], connectionId),
  );
  return [...ofRoutes, ...ofSubscriptions];
}
