/** These routes publish an automation, move it from one status to the next, and show its versions. */
import { featureNotIncluded, sendingStopped } from "../../accounts/accounts.ts";
import { contentBusy } from "../../messages/messages.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { toPublicId } from "../../platform/ids.ts";
import { missing, type Problem, preconditionFailed } from "../../platform/problems.ts";
import { invalidState } from "../../subscribers/subscribers.ts";
import { automationNotReady, nodesInUse, overdueSteps } from "../problems.ts";
import { automationId, createAnswer, Params, read, requireAutomation, send, tag } from "../route-parts.ts";
import { Automation } from "../schema.ts";
import type { AutomationRow } from "../store.ts";
import {
  archiveAutomation,
  cancelAutomation,
  drainAutomation,
  pauseAutomation,
  resumeAutomation,
  startAutomation,
} from "./actions.ts";
import {
  type Publication as Published,
  type PublishingTools,
  preparePublishing,
  publishAutomation,
} from "./publish.ts";
import {
  Publication,
  PublishInput,
  ResumeInput,
  Version,
  VersionPage,
  VersionParams,
  VersionQuery,
  type VersionSummary,
} from "./schema.ts";
import { findVersion, listVersions, type VersionHead } from "./version-store.ts";

const SPREAD_MINUTES = 60;
const one = { status: 200, schema: Automation, description: "The automation as it now is." };

export function publishingRoutes(tools: PublishingTools): readonly Route[] {
  const answer = createAnswer(tools.sent);
  /** An action without a body. */
  const action = (
    name: "pause" | "drain" | "cancel" | "archive",
    done: `automation.${string}`,
    act: (ctx: TxCtx, id: string) => Promise<AutomationRow>,
    said: { readonly summary: string; readonly description: string },
  ) =>
    writeRoute({
      method: "POST",
      path: `/v1/automations/:id/${name}`,
      scope: send,
      audit: { action: done, of: "path" },
      tag,
      ...said,
      params: Params,
      success: one,
      problems: [invalidState],
      handler: async ({ ctx, params }) => answer(ctx, await act(ctx, automationId(params.id)), 200),
    });
  const launching: readonly Problem[] = [
    invalidState,
    sendingStopped,
    preconditionFailed,
    automationNotReady,
    contentBusy,
    featureNotIncluded,
  ];
  const prepare = ({ ctx, params }: { readonly ctx: Ctx; readonly params: { readonly id: string } }) =>
    preparePublishing(ctx, tools, automationId(params.id));
  return [
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/publish",
      scope: send,
      audit: { action: "automation.published", of: "path" },
      tag,
      summary: "Publish an automation",
      description:
        "Makes a version of the draft, with its mails frozen. Who enters from now on goes by it. Those inside follow by the names of their " +
        "steps when they are next looked at, however many they are, or stay with their version. Faults of the draft and of each mail are " +
        "named at once. Where the published version is the same already, that one is the answer, `unchanged`. With `If-Match`, only what was read is published.",
      params: Params,
      body: PublishInput,
      bodyOptional: true,
      success: { status: 200, schema: Publication, description: "What it did, or would do." },
      problems: [...launching, nodesInUse],
      prepare,
      async handler({ ctx, params, body, ifMatch }, prepared) {
        const isDryRun = body?.dry_run ?? false;
        const how = {
          people: body?.people ?? "follow",
          waits: body?.waits ?? "recount",
          mapping: body?.mapping ?? {},
          isDryRun,
        } as const;
        const id = automationId(params.id);
        const published = await publishAutomation(ctx, tools, id, prepared, how, ifMatch);
        const body200 = shapePublication(published, how);
        const isIdle = isDryRun || published.isUnchanged;
        return { status: 200, body: body200, ...(isIdle && { changedNothing: true }) };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/start",
      scope: send,
      audit: { action: "automation.started", of: "path" },
      tag,
      summary: "Start an automation",
      description: "Publishes the draft where that isn't published as it is, and lets people enter.",
      params: Params,
      success: one,
      problems: launching,
      prepare,
      handler: async ({ ctx, params, ifMatch }, prepared) =>
        answer(ctx, await startAutomation(ctx, tools, automationId(params.id), prepared, ifMatch), 200),
    }),
    action("pause", "automation.paused", pauseAutomation, {
      summary: "Pause an automation",
      description: "Nothing moves: no step is done, and mail of it that isn't on the wire yet waits.",
    }),
    writeRoute({
      method: "POST",
      path: "/v1/automations/:id/resume",
      scope: send,
      audit: { action: "automation.resumed", of: "path" },
      tag,
      summary: "Resume an automation",
      description:
        "Where steps fell due while it was paused, the answer is 409 `overdue_steps`, with how many people stand on which, unless `overdue` says " +
        "what becomes of them.",
      params: Params,
      body: ResumeInput,
      bodyOptional: true,
      success: one,
      problems: [invalidState, sendingStopped, overdueSteps, featureNotIncluded],
      async handler({ ctx, params, body }) {
        const how = { choice: body?.overdue, spreadMinutes: body?.spread_minutes ?? SPREAD_MINUTES };
        return answer(ctx, await resumeAutomation(ctx, automationId(params.id), how), 200);
      },
    }),
    action("drain", "automation.drained", drainAutomation, {
      summary: "Let an automation run empty",
      description: "Nobody enters any more. Those inside finish, and then it is archived by itself.",
    }),
    action("cancel", "automation.canceled", cancelAutomation, {
      summary: "Cancel an automation",
      description:
        "Everybody inside leaves it, and mail of it that isn't on the wire yet doesn't leave. It is archived; that can't be taken back.",
    }),
    action("archive", "automation.archived", archiveAutomation, {
      summary: "Archive an automation",
      description: "Where nobody is inside; else `drain` or `cancel` it.",
    }),
    readRoute({
      path: "/v1/automations/:id/versions",
      scope: read,
      tag,
      summary: "List an automation's versions",
      description: "Newest first, without their steps.",
      params: Params,
      query: VersionQuery,
      success: { status: 200, schema: VersionPage, description: "A page of versions." },
      async handler(call) {
        const { ctx, params, query, after } = call;
        const row = await requireAutomation(ctx, params.id);
        const below = after && Number(after[0]);
        const rows = await listVersions(ctx.sql, ctx.accountId, row.id, { limit: query.limit + 1, below });
        return pageAnswer(
          call,
          rows,
          ({ number }) => [String(number)],
          (version) => shapeVersion(row.id, version),
          query.include_total ? row.version : undefined,
        );
      },
    }),
    readRoute({
      path: "/v1/automations/:id/versions/:number",
      scope: read,
      tag,
      summary: "Get a version of an automation",
      params: VersionParams,
      success: { status: 200, schema: Version, description: "The version with its steps." },
      async handler({ ctx, params }) {
        const { id } = await requireAutomation(ctx, params.id);
        const version = await findVersion(ctx.sql, ctx.accountId, id, Number(params.number));
        if (!version) throw missing("version");
        return { status: 200, body: { ...shapeVersion(id, version), graph: version.graph } };
      },
    }),
  ];
}

function shapePublication(
  {
    row,
    version,
    publishedAt,
    isUnchanged,
    steps,
    inside,
    dueNow,
    isDueNowExact,
    stranded,
    isSandbox,
  }: Published,
  { people, isDryRun }: { readonly people: "follow" | "stay"; readonly isDryRun: boolean },
): Publication {
  const move = people === "follow" ? inside : 0;
  return {
    object: "automation_publication",
    automation_id: toPublicId("aut", row.id),
    version,
    dry_run: isDryRun,
    unchanged: isUnchanged,
    published_at: publishedAt?.toISOString() ?? null,
    sandbox: isSandbox,
    people: { inside, move, stay: inside - move, due_now: dueNow, due_now_is_exact: isDueNowExact },
    steps: {
      added: [...steps.added],
      removed: [...steps.removed],
      changed: [...steps.changed],
      waits: [...steps.waits],
    },
    nodes_in_use: [...stranded],
  };
}

const PREFIXES = { api_key: "key", user: "usr", system: undefined } as const;

function shapeVersion(automation: string, version: VersionHead): VersionSummary {
  const {
    number,
    people,
    waits,
    mapping,
    is_sandbox,
    published_at,
    published_by_kind: kind,
    published_by_id: id,
  } = version;
  const prefix = PREFIXES[kind ?? "system"];
  return {
    object: "automation_version",
    automation_id: toPublicId("aut", automation),
    number,
    people,
    waits,
    mapping,
    sandbox: is_sandbox === true,
    published_at: published_at.toISOString(),
    published_by: { kind: kind ?? "system", id: prefix && id ? toPublicId(prefix, id) : null },
  };
}
