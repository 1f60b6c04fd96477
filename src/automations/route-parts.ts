/** These are the parts that the routes of automations have in common. */
import { shapeUpdatedBy } from "../accounts/accounts.ts";
import type { Ctx } from "../platform/context.ts";
import type { Answer } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { type Fault, missing } from "../platform/problems.ts";
import type { SentCampaigns } from "../subscribers/subscribers.ts";
import { automationEtag } from "./automations.ts";
import { readDraft } from "./draft.ts";
import { readVersionFaults } from "./runs/runs.ts";
import type { Automation, AutomationSummary } from "./schema.ts";
import { allowedActions } from "./status.ts";
import { type AutomationHead, type AutomationRow, findAutomation } from "./store.ts";

export const tag = "Automations";
export const read = "automations:read";
export const write = "automations:write";
/** For all that makes mail leave, or stops it. */
export const send = "automations:send";
export const Params = Strict({ id: PublicId("aut") });

export function automationId(text: string): string {
  return requireId("aut", text, "automation");
}

export async function requireAutomation(ctx: Ctx, text: string): Promise<AutomationRow> {
  const row = await findAutomation(ctx.sql, ctx.accountId, automationId(text));
  if (!row) throw missing("automation");
  return row;
}

/** Answers with an automation, its draft, and what is wrong with that now, and with what is published. */
export function createAnswer(sent: SentCampaigns) {
  return async (ctx: Ctx, row: AutomationRow, status: number): Promise<Answer<Automation>> => ({
    status,
    body: {
      ...shapeSummary(row),
      draft: row.draft,
      faults: (await readDraft(ctx, row.draft, sent)).faults.map(shapeFault),
      version_faults: (await readVersionFaults(ctx.sql, ctx.accountId, row.id, row.version)).map(shapeFault),
      webhook_signing: shapeSigning(row, ctx.clock.now()),
    },
    etag: automationEtag(row),
  });
}

function shapeSigning(
  { is_signed, webhook_previous_until: until }: AutomationRow,
  now: Date,
): Automation["webhook_signing"] {
  return is_signed ? { previous_until: until && until > now ? until.toISOString() : null } : null;
}

function shapeFault({ pointer = "", code, detail }: Fault): Automation["faults"][number] {
  return { pointer, code, detail };
}

export function shapeSummary(row: AutomationHead): AutomationSummary {
  return {
    object: "automation",
    id: toPublicId("aut", row.id),
    name: row.name,
    list_id: toPublicId("lst", row.list_id),
    status: row.state,
    live_version: row.version === 0 ? null : row.version,
    paused_at: row.paused_at?.toISOString() ?? null,
    overdue: row.overdue,
    allowed_actions: allowedActions(row.state, row.has_people),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}
