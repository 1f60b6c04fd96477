/** These routes show what becomes of people in an automation, all together and one by one, and change single runs. */
import { type Static, Type } from "typebox";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import type { Listener } from "../../platform/db/listen.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import {
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { eventStreamAnswer, MOST_STREAMS } from "../../platform/http/streams/event-streams.ts";
import { fromPublicId, requireId, toPublicId } from "../../platform/ids.ts";
import { AppError, invalidQuery, missing, tooManyStreams } from "../../platform/problems.ts";
import { findSubscriber, invalidState } from "../../subscribers/subscribers.ts";
import { Params, read, requireAutomation, send, tag } from "../route-parts.ts";
import { findState } from "../store.ts";
import { exitRun, moveRun, skipWait } from "./change-run.ts";
import { findRun, listRuns, listRunsOf, listVisits, type RunRow } from "./runs-store.ts";
import { AutomationStats, readStats } from "./stats.ts";
import { createStatsStreams } from "./stats-streams.ts";

export type WatchingTools = { readonly listener: Pick<Listener, "listen"> };

const RUN_STATUSES = ["active", "completed", "exited"] as const;
const run = {
  object: Type.Literal("automation_run"),
  id: PublicId("run"),
  automation_id: PublicId("aut"),
  subscriber_id: PublicId("sub"),
  key: Type.String({
    description: "Tells runs of one person apart, where the automation has a key; else empty.",
  }),
  status: oneOf(RUN_STATUSES),
  ended_as: Nullable(Type.String({ description: "As what it ended; null while it goes on." })),
  version: Type.Integer(),
  node: Type.String({ description: "The step that it stands on, or ended at." }),
  visit: Type.Integer({ description: "How many steps it has come to." }),
  arrived_at: Timestamp,
  due_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};
const AutomationRunSummary = Type.Object(run, { title: "AutomationRunSummary" });
const AutomationRunOfSubscriber = Type.Object(
  { ...run, automation_name: Type.String() },
  { title: "AutomationRunOfSubscriber" },
);
const AutomationRun = Type.Object(
  {
    ...run,
    journal: Type.Array(
      Type.Object({
        visit: Type.Integer(),
        version: Type.Integer(),
        node: Type.String(),
        way: Nullable(Type.String({ description: "By which way; null where the run ended there." })),
        reason: Type.String(),
        arrived_at: Timestamp,
        left_at: Timestamp,
      }),
      { description: "Every step that it has left, in order." },
    ),
  },
  { title: "AutomationRun" },
);
const RunQuery = PageQuery({
  status: Type.Optional(oneOf(RUN_STATUSES, { description: "Those inside, unless said otherwise." })),
  node: Type.Optional(Type.String({ maxLength: 64 })),
  subscriber_id: Type.Optional(PublicId("sub")),
});
const RunOfSubscriberQuery = PageQuery({
  subscriber_id: PublicId("sub"),
  status: Type.Optional(oneOf(RUN_STATUSES, { description: "All of them, unless said otherwise." })),
});
const RunParams = Strict({ id: PublicId("run") });
const MoveInput = Strict(
  {
    node: Type.String({ minLength: 1, maxLength: 64, description: "A step of the version that it goes by." }),
  },
  { title: "AutomationRunMoveInput", examples: [{ node: "end" }] },
);

export function watchingRoutes({ listener }: WatchingTools): readonly Route[] {
  const streams = createStatsStreams(listener);
  return [
    readRoute({
      path: "/v1/automations/:id/stats",
      scope: read,
      tag,
      summary: "Count what became of people in an automation",
      params: Params,
      success: { status: 200, schema: AutomationStats, description: "The numbers." },
      handler: async ({ ctx, params }) => ({
        status: 200,
        body: await readStats(ctx, await requireAutomation(ctx, params.id)),
      }),
    }),
    readRoute({
      path: "/v1/automations/:id/stats/stream",
      scope: read,
      tag,
      summary: "Watch the numbers of an automation",
      description:
        "Server-sent events: `stats` with all numbers when it is opened and whenever they have changed, while the automation is live, paused or " +
        "draining, and at last `done`; close it then. A reader that is slow misses some, never the newest. After an hour, when the process " +
        "stops, and when the key is revoked or the session has ended, the last event is `reconnect` with a `reason`: an `EventSource` opens " +
        `it anew by itself. A key or a person may have ${MOST_STREAMS} streams open at once in each process.`,
      params: Params,
      success: {
        status: 200,
        schema: Type.String(),
        description: "A stream of events, each with the same data as `stats` answers.",
        contentType: "text/event-stream",
      },
      problems: [tooManyStreams],
      async handler({ ctx, principal, params, signal }) {
        const { id } = await requireAutomation(ctx, params.id);
        const look = async () => {
          const state = await findState(ctx.sql, ctx.accountId, id);
          return state && readStats(ctx, state);
        };
        return eventStreamAnswer(streams.open({ ctx, principal, scope: read, id, look, signal }));
      },
    }),
    readRoute({
      path: "/v1/automations/:id/runs",
      scope: "subscribers:read",
      tag,
      summary: "List the runs of an automation",
      description: "Those inside in the order in which they fall due; those that ended, the last first.",
      params: Params,
      query: RunQuery,
      success: {
        status: 200,
        schema: Page(AutomationRunSummary, "AutomationRunPage"),
        description: "A page of runs.",
      },
      async handler(call) {
        const { ctx, params, query, after } = call;
        const { id } = await requireAutomation(ctx, params.id);
        const subscriberId =
          query.subscriber_id === undefined ? undefined : await requireSubscriberId(ctx, query.subscriber_id);
        const filter = { status: query.status ?? "active", node: query.node, subscriberId };
        const page = { limit: query.limit + 1, after };
        const rows = await listRuns(ctx.sql, ctx.accountId, id, filter, page);
        return pageAnswer(
          call,
          rows,
          (row) => [(row.ended_at ?? row.due_at).toISOString(), row.id],
          (row) => shapeRun(row),
        );
      },
    }),
    readRoute({
      path: "/v1/automation_runs",
      scope: "subscribers:read",
      tag,
      summary: "List the runs of a subscriber",
      description:
        "In all automations: those that go on first, then those that ended; the last to enter comes first.",
      query: RunOfSubscriberQuery,
      success: {
        status: 200,
        schema: Page(AutomationRunOfSubscriber, "AutomationRunOfSubscriberPage"),
        description: "A page of runs.",
      },
      async handler(call) {
        const { ctx, query, after } = call;
        const subscriberId = await requireSubscriberId(ctx, query.subscriber_id);
        const page = { limit: query.limit + 1, after };
        const rows = await listRunsOf(ctx.sql, ctx.accountId, subscriberId, query.status, page);
        return pageAnswer(
          call,
          rows,
          (row) => [row.state === "active" ? "inside" : "ended", row.id],
          (row) => ({ ...shapeRun(row), automation_name: row.automation_name }),
        );
      },
    }),
    readRoute({
      path: "/v1/automation_runs/:id",
      scope: "subscribers:read",
      tag,
      summary: "Get a run",
      description: "With its journal: every step that it has left, when, and why.",
      params: RunParams,
      success: { status: 200, schema: AutomationRun, description: "The run." },
      async handler({ ctx, params }) {
        const row = await findRun(ctx.sql, ctx.accountId, runId(params.id));
        if (!row) throw missing("run");
        return answerRun(ctx, row);
      },
    }),
    ...(
      [
        ["exit", "exited", exitRun, "End a run", "Where it stands; it counts as `removed`."],
        ["skip_wait", "skipped", skipWait, "Cut a run's wait short", "It goes on as if its time had come."],
      ] as const
    ).map(([name, done, change, summary, description]) =>
      writeRoute({
        method: "POST",
        path: `/v1/automation_runs/:id/${name}`,
        scope: send,
        audit: { action: `automation_run.${done}`, of: "path" },
        tag,
        summary,
        description,
        params: RunParams,
        success: { status: 200, schema: AutomationRun, description: "The run as it now is." },
        problems: [invalidState],
        handler: async ({ ctx, params }) => answerRun(ctx, await change(ctx, runId(params.id))),
      }),
    ),
    writeRoute({
      method: "POST",
      path: "/v1/automation_runs/:id/move",
      scope: send,
      audit: { action: "automation_run.moved", of: "path" },
      tag,
      summary: "Put a run onto another step",
      description:
        "It stands there as if it had just come. In a paused automation it moves on from there when that goes on.",
      params: RunParams,
      body: MoveInput,
      success: { status: 200, schema: AutomationRun, description: "The run as it now is." },
      problems: [invalidState],
      handler: async ({ ctx, params, body }) =>
        answerRun(ctx, await moveRun(ctx as TxCtx, runId(params.id), body.node)),
    }),
  ];
}

function runId(text: string): string {
  return requireId("run", text, "run");
}

async function answerRun(ctx: Ctx, row: RunRow): Promise<Answer<Static<typeof AutomationRun>>> {
  const visits = await listVisits(ctx.sql, ctx.accountId, row.id);
  const journal = visits.map((one) => ({
    ...one,
    arrived_at: one.arrived_at.toISOString(),
    left_at: one.left_at.toISOString(),
  }));
  return { status: 200, body: { ...shapeRun(row), journal } };
}

function shapeRun(row: RunRow): Static<typeof AutomationRunSummary> {
  return {
    object: "automation_run",
    id: toPublicId("run", row.id),
    automation_id: toPublicId("aut", row.automation_id),
    subscriber_id: toPublicId("sub", row.subscriber_id),
    key: row.key,
    status: row.state,
    ended_as: row.ended_as,
    version: row.version,
    node: row.node,
    visit: row.visit,
    arrived_at: row.arrived_at.toISOString(),
    due_at: row.state === "active" ? row.due_at.toISOString() : null,
    ended_at: row.ended_at?.toISOString() ?? null,
    created_at: row.entered_at.toISOString(),
    updated_at: (row.ended_at ?? row.arrived_at).toISOString(),
  };
}

/** An unknown one is refused: without it the page would be everybody's. */
async function requireSubscriberId(ctx: Ctx, text: string): Promise<string> {
  const id = fromPublicId("sub", text);
  if (id && (await findSubscriber(ctx.sql, ctx.accountId, id))) return id;
  throw new AppError(invalidQuery, "there is no such subscriber", {
    faults: [
      {
        parameter: "subscriber_id",
        code: "not_found",
        detail: "there is no such subscriber in this account",
      },
    ],
  });
}
