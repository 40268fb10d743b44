import { app } from "@azure/functions";

import * as endpoints from "../shared/api/endpoints/catalog.ts";
import { decodeCursor, encodeCursor, pageOf } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { shownSubject, shownSubjects } from "../shared/catalog/shown-subjects.ts";
import { hasCriteria, meetsSubject } from "../shared/config/criteria.ts";
import { diagnoseTenant } from "../shared/config/diagnose-tenant.ts";
import { observationsOf, recentKindsOf } from "../shared/config/observations-of.ts";
import { Fault } from "../shared/faults.ts";
import { findSubject, listSubjects } from "../shared/ledgers/subjects.ts";
import { services } from "../shared/services.ts";

app.http(
  ...serve(endpoints.listSubjects, async ({ caller, query }) => {
    const { tables } = await services();
    const [cursor] = decodeCursor(query.cursor, 1) ?? [];
    const after = cursor === undefined ? "" : Buffer.from(cursor, "base64url").toString();
    const subjects = shownSubjects(await listSubjects(tables.subjects, caller.tenantId), query);
    const rest = subjects.filter(({ subject }) => subject > after);
    // A subject may hold a star, which a cursor may not.
    const cursorAfter = (subject: string): string => encodeCursor(Buffer.from(subject).toString("base64url"));
    return { status: 200, body: pageOf(rest, query.limit, ({ subject }) => cursorAfter(subject)) };
  }),
);

app.http(
  ...serve(endpoints.readSubject, async ({ caller: { tenantId }, params: { subject } }) => {
    const all = await services();
    const observed = await findSubject(all.tables.subjects, tenantId, subject);
    const shown = shownSubject(subject, observed);
    if (!shown.known && observed === undefined) throw new Fault("not-found");
    const current = await all.configs.current(tenantId);
    const takers = current?.config.routes.filter(
      (route) => hasCriteria(route) && meetsSubject(route, subject),
    );
    const routes = takers?.map(({ routeName }) => routeName) ?? [];
    return { status: 200, body: { ...shown, fieldPaths: observed?.fieldPaths ?? [], routes } };
  }),
);

app.http(
  ...serve(endpoints.diagnoseConfig, async ({ caller: { tenantId }, now }) => {
    const all = await services();
    const current = await all.configs.current(tenantId);
    if (current === undefined) throw new Fault("not-found", "No configuration has been put into place yet.");
    const recentKinds = await recentKindsOf(all, tenantId, now);
    const diagnostics = diagnoseTenant(current.config, await observationsOf(all, tenantId, recentKinds));
    return { status: 200, body: { hash: current.hash, diagnostics } };
  }),
);
