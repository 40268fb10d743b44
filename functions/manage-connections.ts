import { app } from "@azure/functions";

import * as endpoints from "../shared/api/endpoints/connections.ts";
import { decodeCursor, encodeCursor, pageOf } from "../shared/api/page.ts";
import { serve } from "../shared/api/serve.ts";
import { changeConnection, etagOf, ownConnection } from "../shared/connections/change-connection.ts";
import { createConnection } from "../shared/connections/create-connection.ts";
import { deleteConnection } from "../shared/connections/delete-connection.ts";
import { patched } from "../shared/connections/patched.ts";
import { addConnectionSecret, removeConnectionSecret } from "../shared/connections/secret-rotation.ts";
import { shownConnection } from "../shared/connections/shown-connection.ts";
import { connectionsTable, listConnections } from "../shared/ledgers/connections.ts";

app.http(
  ...serve(endpoints.createConnection, async ({ caller, body, now, platform, baseUrl }) => {
    const made = await createConnection(platform, caller.tenantId, body, now);
    const secret = made.generatedSecret !== undefined && { secret: made.generatedSecret };
    const shown = { ...shownConnection(made.connection, baseUrl), ...secret };
    return { status: 201, body: shown, headers: { etag: etagOf(made.revision) } };
  }),
);

app.http(
  ...serve(endpoints.listConnections, async ({ caller, query, platform, baseUrl }) => {
    const { limit } = query;
    const [after = ""] = decodeCursor(query.cursor, 1) ?? [];
    const table = await platform.table(connectionsTable);
    const found = await listConnections(table, caller.tenantId, after, limit + 1);
    const page = pageOf(found, limit, ({ connection }) => encodeCursor(connection.connectionId));
    const items = page.items.map(({ connection }) => shownConnection(connection, baseUrl));
    return { status: 200, body: { ...page, items } };
  }),
);

app.http(
  ...serve(endpoints.readConnection, async ({ caller, params, platform, baseUrl }) => {
    const { connection, revision } = await ownConnection(platform, caller, params.connectionId);
    return {
      status: 200,
      body: shownConnection(connection, baseUrl),
      headers: { etag: etagOf(revision) },
    };
  }),
);

app.http(
  ...serve(endpoints.changeConnection, async (call) => {
    const change = { ...call, connectionId: call.params.connectionId };
    const { connection, revision } = await changeConnection(change, (current) => patched(current, call.body));
    return {
      status: 200,
      body: shownConnection(connection, call.baseUrl),
      headers: { etag: etagOf(revision) },
    };
  }),
);

app.http(
  ...serve(endpoints.deleteConnection, async (call) => {
    await deleteConnection({ ...call, connectionId: call.params.connectionId });
    return { status: 204 };
  }),
);

app.http(
  ...serve(endpoints.addConnectionSecret, async (call) => {
    const change = { ...call, connectionId: call.params.connectionId };
    const { connection, version, generatedSecret } = await addConnectionSecret(change, call.body.secret);
    const secret = generatedSecret !== undefined && { secret: generatedSecret };
    return { status: 201, body: { ...shownConnection(connection, call.baseUrl), version, ...secret } };
  }),
);

app.http(
  ...serve(endpoints.removeConnectionSecret, async (call) => {
    const { connectionId, version } = call.params;
    await removeConnectionSecret({ ...call, connectionId }, version);
    return { status: 204 };
  }),
);
