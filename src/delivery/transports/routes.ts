import {
  featureNotIncluded,
  refuseWhileHeld,
  sendingStopped,
  shapeUpdatedBy,
} from "../../accounts/accounts.ts";
import type { Ctx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";

import { PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { AppError, defineProblem, missing } from "../../platform/problems.ts";
import { readClosings, reopenProvider, type ShownClosing, shapeClosing } from "../providers/providers.ts";
import { orderRoutes } from "./order-routes.ts";
import {
  Transport,
  TransportCreate,
  TransportPage,
  TransportPatch,
  TransportQuery,
  TransportReopen,
  TransportTest,
  TransportTestInput,
} from "./schema.ts";
import { countTransports, findTransport, listTransports, type TransportRow } from "./store.ts";
import {
  createTransport,
  deleteTransport,
  reinstateTransport,
  type TransportTools,
  transportEtag,
  updateTransport,
} from "./transports.ts";
import { readTrial, recordTry, tryTransport } from "./try.ts";

const Params = Strict({ id: PublicId("trn") });
const tag = "Transports";
const read = "transports:read";
const write = "transports:write";

const transportInUse = defineProblem(
  409,
  "transport_in_use",
  "Transport in use",
  "A campaign that is being sent or is paused leaves by this transport. `campaigns` says how many do; wait, or cancel them.",
);

export type TransportRouteTools = TransportTools & {
  /** Whether the instance has a server of its own, in SMTP_URL. */
  readonly hasInstanceServer: boolean;
};

export function transportRoutes(tools: TransportRouteTools): readonly Route[] {
  return [
    readRoute({
      path: "/v1/transports",
      scope: read,
      tag,
      summary: "List transports",
      description: "The account's own SMTP servers, newest first.",
      query: TransportQuery,
      success: { status: 200, schema: TransportPage, description: "A page of transports." },
      handler: (call) =>
        pageByAge(call, {
          list: async (db, accountId, page) =>
            withClosings(call.ctx, await listTransports(db, accountId, call.query.stream, page)),
          count: (db, accountId) => countTransports(db, accountId, call.query.stream),
          shape: shapeTransport,
        }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/transports",
      scope: write,
      audit: { action: "transport.created", of: "answer" },
      tag,
      summary: "Make a transport",
      description:
        "Nothing is sent to the server yet: `test` does that. The password is kept encrypted and never shown again.",
      body: TransportCreate,
      success: { status: 201, schema: Transport, description: "The transport." },
      problems: [featureNotIncluded],
      async handler({ ctx, body, baseUrl }) {
        const answer = await answerWith(ctx, await createTransport(ctx, tools, body), 201);
        return { ...answer, headers: { location: `${baseUrl}/v1/transports/${answer.body?.id}` } };
      },
    }),
    readRoute({
      path: "/v1/transports/:id",
      scope: read,
      tag,
      summary: "Get a transport",
      params: Params,
      success: { status: 200, schema: Transport, description: "The transport." },
      async handler({ ctx, params }) {
        const row = await findTransport(ctx.sql, ctx.accountId, transportId(params.id));
        if (!row) throw missing("transport");
        return answerWith(ctx, row, 200);
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/transports/:id",
      scope: write,
      audit: { action: "transport.updated", of: "path" },
      tag,
      summary: "Change a transport",
      description:
        "What is left out stays as it is; null clears. Campaigns that are being sent by it go on with what it now is. " +
        "Whoever changes the host, the port, TLS or the certificate's check gives the password again.",
      params: Params,
      body: TransportPatch,
      success: { status: 200, schema: Transport, description: "The transport as it now is." },
      async handler({ ctx, params, body, ifMatch }) {
        return answerWith(ctx, await updateTransport(ctx, tools, transportId(params.id), body, ifMatch), 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/transports/:id",
      scope: write,
      audit: { action: "transport.deleted", of: "path" },
      tag,
      summary: "Delete a transport",
      description:
        "Its streams leave by another transport or the instance's server from then on. Refused while a campaign that is being sent or is " +
        "paused leaves by it.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      problems: [transportInUse],
      async handler({ ctx, params }) {
        const { usedBy } = await deleteTransport(ctx, transportId(params.id));
        if (usedBy === 0) return { status: 204 };
        const detail = "a campaign that is being sent or is paused leaves by it";
        throw new AppError(transportInUse, detail, { members: { campaigns: usedBy } });
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/transports/:id/reopen",
      scope: write,
      audit: { action: "transport.reopened", of: "path" },
      tag,
      summary: "Open a mailbox provider for a transport",
      description:
        "For when what the provider complained of is mended: it gets mail again before the closing is over, little at first. One that isn't " +
        "closed stays open.",
      params: Params,
      body: TransportReopen,
      success: { status: 200, schema: Transport, description: "The transport as it now is." },
      async handler({ ctx, params, body }) {
        const id = transportId(params.id);
        const row = await findTransport(ctx.sql, ctx.accountId, id);
        if (!row) throw missing("transport");
        await reopenProvider(ctx, id, body.provider);
        return answerWith(ctx, row, 200);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/transports/:id/reinstate",
      scope: write,
      audit: { action: "transport.reinstated", of: "path" },
      tag,
      summary: "Reinstate a transport",
      description:
        "Brings back a transport that was put out, without waiting for the next probe. What has moved to another stays there; what is " +
        "sent from now on leaves by the first in its order. One that is in stays as it is.",
      params: Params,
      success: { status: 200, schema: Transport, description: "The transport as it now is." },
      async handler({ ctx, params }) {
        const id = transportId(params.id);
        const row =
          (await reinstateTransport(ctx, id, "hand")) ?? (await findTransport(ctx.sql, ctx.accountId, id));
        if (!row) throw missing("transport");
        return answerWith(ctx, row, 200);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/transports/:id/test",
      scope: write,
      audit: { action: "transport.tested", of: "path" },
      tag,
      summary: "Test a transport",
      description:
        "Connects, begins TLS, signs in and, with `to`, sends a small message there; within 15 seconds it says how far " +
        "that went and what to do about it. `from` is the message's sender; else the user name where that is an " +
        "address, else `to`. Under the same idempotency key the first answer comes again, and the server isn't asked anew.",
      params: Params,
      body: TransportTestInput,
      bodyOptional: true,
      success: { status: 200, schema: TransportTest, description: "What was found, good or bad." },
      problems: [sendingStopped],
      async prepare({ ctx, params, body }) {
        if (body?.to !== undefined) await refuseWhileHeld(ctx);
        return readTrial(ctx, transportId(params.id), body);
      },
      act: ({ ctx }, trial) => tryTransport(ctx, tools, trial),
      async handler({ ctx }, tried) {
        return { status: 200, body: await recordTry(ctx, tried) };
      },
    }),
    ...orderRoutes(tools.hasInstanceServer),
  ];
}

function transportId(text: string): string {
  return requireId("trn", text, "transport");
}

async function answerWith(ctx: Ctx, row: TransportRow, status: number): Promise<Answer<Transport>> {
  const [shown] = await withClosings(ctx, [row]);
  return { status, body: shapeTransport(shown as ShownTransport), etag: transportEtag(row) };
}

type ShownTransport = TransportRow & { readonly closings: readonly ShownClosing[] };

async function withClosings(
  { sql, accountId, clock }: Ctx,
  rows: readonly TransportRow[],
): Promise<ShownTransport[]> {
  const ids = rows.map(({ id }) => id);
  const closings = ids.length > 0 ? await readClosings(sql, accountId, ids, clock.now()) : [];
  return rows.map((row) => ({ ...row, closings: closings.filter((one) => one.transport_id === row.id) }));
}

function shapeTransport(row: ShownTransport): Transport {
  const { name, host, port, tls, verify_certificate, username, ehlo_name, max_connections } = row;
  return {
    object: "transport",
    id: toPublicId("trn", row.id),
    name,
    host,
    port,
    tls,
    verify_certificate,
    username,
    has_password: row.password !== null,
    ehlo_name,
    max_connections,
    rate_per_second: row.rate_per_second,
    max_per_day: row.max_per_day,
    has_warmup: row.has_warmup,
    streams: [...row.streams],
    closings: row.closings.map(shapeClosing),
    last_test: row.tested_at && {
      tested_at: row.tested_at.toISOString(),
      ok: row.test_ok ?? false,
      phase: row.test_phase,
      code: row.test_code,
      text: row.test_text,
    },
    out: row.out_since && {
      since: row.out_since.toISOString(),
      reason: row.out_reason ?? "unreachable",
      detail: row.out_detail,
      next_try_at: row.next_try_at?.toISOString() ?? null,
    },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}
