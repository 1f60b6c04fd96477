import type { Ctx } from "../platform/context.ts";
import { refuseMissingScope } from "../platform/http/access-control.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { invalidState, readListId, subscriberLimitReached } from "../subscribers/subscribers.ts";
import { createAutomation, deleteAutomation, duplicateAutomation, updateAutomation } from "./automations.ts";
import { readDraft } from "./draft.ts";
import { enrollingRoutes } from "./enrolling/routes.ts";
import { webhookSecretRoutes } from "./outbox/routes.ts";
import { automationNotReady, notReady, simulationsBusy, tooManyAutomations } from "./problems.ts";
import { publishingRoutes } from "./publishing/routes.ts";
import { automationId, createAnswer, Params, read, shapeSummary, tag, write } from "./route-parts.ts";
import { Automation, AutomationCreate, AutomationPage, AutomationPatch, AutomationQuery } from "./schema.ts";
import { Simulation, SimulationInput, simulate, type Tools } from "./simulating/simulating.ts";
import { type AutomationRow, countAutomations, findAutomation, listAutomations } from "./store.ts";
import { testingRoutes } from "./testing/routes.ts";
import { type WatchingTools, watchingRoutes } from "./watching/routes.ts";

export type AutomationTools = Tools &
  Parameters<typeof publishingRoutes>[0] &
  WatchingTools & { readonly secrets: Secrets };

export function automationRoutes(tools: AutomationTools): readonly Route[] {
  const { sent } = tools;
  const answer = createAnswer(sent);
  const answerNew = async (ctx: Ctx, row: AutomationRow, baseUrl: string) => ({
    ...(await answer(ctx, row, 201)),
    headers: { location: `${baseUrl}/v1/automations/${toPublicId("aut", row.id)}` },
  });
  return [
    ...publishingRoutes(tools),
    ...webhookSecretRoutes(tools),
    ...enrollingRoutes(tools),
    ...testingRoutes(tools),
    ...watchingRoutes(tools),
    readRoute({
      path: "/v1/automations",
      scope: read,
      tag,
      summary: "List automations",
      description: "Newest first, without their steps: those come with a single automation.",
      query: AutomationQuery,
      success: { status: 200, schema: AutomationPage, description: "A page of automations." },
      async handler(call) {
        const listId = await readListId(call.ctx, call.query.list_id);
        const filter = { listId, words: call.query.q, status: call.query.status };
        return pageByAge(call, {
          list: (db, accountId, page) => listAutomations(db, accountId, filter, page),
          count: (db, accountId) => countAutomations(db, accountId, filter),
          shape: shapeSummary,
        });
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/automations",
      scope: write,
      audit: { action: "automation.created", of: "answer" },
      tag,
      summary: "Make an automation",
      description:
        "What is written is a draft: it may have faults, which every answer names. An automation stays with its list.",
      body: AutomationCreate,
      success: { status: 201, schema: Automation, description: "The automation." },
      problems: [tooManyAutomations],
      handler: async ({ ctx, body, baseUrl }) => answerNew(ctx, await createAutomation(ctx, body), baseUrl),
    }),
    readRoute({
      path: "/v1/automations/:id",
      scope: read,
      tag,
      summary: "Get an automation",
      description: "With its draft, and what is wrong with that now.",
      params: Params,
      success: { status: 200, schema: Automation, description: "The automation." },
      async handler({ ctx, params }) {
        const row = await findAutomation(ctx.sql, ctx.accountId, automationId(params.id));
        if (!row) throw missing("automation");
        return answer(ctx, row, 200);
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/automations/:id",
      scope: write,
      audit: { action: "automation.updated", of: "path" },
      tag,
      summary: "Change an automation",
      description:
        "What is left out stays as it is; `draft` is replaced as a whole. People inside go by what is published, so a draft changes nothing for them.",
      params: Params,
      body: AutomationPatch,
      success: { status: 200, schema: Automation, description: "The automation as it now is." },
      problems: [invalidState],
      handler: async ({ ctx, params, body, ifMatch }) =>
        answer(ctx, await updateAutomation(ctx, automationId(params.id), body, ifMatch), 200),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/duplicate",
      scope: write,
      audit: { action: "automation.duplicated", of: "answer" },
      tag,
      summary: "Duplicate an automation",
      description: "Makes a draft with the same steps, for the same list.",
      params: Params,
      success: { status: 201, schema: Automation, description: "The new automation." },
      problems: [tooManyAutomations],
      handler: async ({ ctx, params, baseUrl }) =>
        answerNew(ctx, await duplicateAutomation(ctx, automationId(params.id)), baseUrl),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/simulate",
      scope: write,
      audit: { none: "it changes nothing" },
      tag,
      summary: "Simulate an automation",
      description:
        "Shows the way that a person would take through the draft, with times and reasons, and writes nothing. What happens on the way may " +
        "be given: it ends waits and runs as it would. Naming a `subscriber_id` takes `subscribers:read` too. Opens and clicks of before, and rules about them, are those of the subscriber now.",
      params: Params,
      body: SimulationInput,
      success: {
        status: 200,
        schema: Simulation,
        description: "The steps, in the order in which they are taken.",
      },
      problems: [automationNotReady, simulationsBusy, subscriberLimitReached],
      async handler({ ctx, params, body, principal }) {
        // The way that somebody takes says what is known of them.
        if (body.subscriber_id !== undefined) refuseMissingScope(principal, "subscribers:read");
        const row = await findAutomation(ctx.sql, ctx.accountId, automationId(params.id));
        if (!row) throw missing("automation");
        const { graph, faults } = await readDraft(ctx, row.draft, sent);
        if (!graph) throw notReady(faults);
        const automation = { id: row.id, listId: row.list_id };
        return { status: 200, body: await simulate(ctx, tools, automation, graph, body) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/automations/:id",
      scope: write,
      audit: { action: "automation.deleted", of: "path" },
      tag,
      summary: "Delete an automation",
      params: Params,
      description:
        "Of a draft, or of one that is archived. What its runs left behind goes too; mail that it sent stays in the log.",
      success: { status: 204, schema: null, description: "Gone." },
      problems: [invalidState],
      async handler({ ctx, params }) {
        await deleteAutomation(ctx, automationId(params.id));
        return { status: 204 };
      },
    }),
  ];
}
