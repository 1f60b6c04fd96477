/** Campaigns are created and changed here. What sends them is in `actions.ts`. */
import type { Unsigned } from "../../accounts/accounts.ts";
import { changedFields, recordEvent } from "../../events/events.ts";
import { examineMessage, isUndecided, type MessageTools } from "../../messages/messages.ts";
import type { Check } from "../../messages/schema.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { refuseMissingScope } from "../../platform/http/access-control.ts";
import { requireMatch } from "../../platform/http/etag.ts";
import type { Principal } from "../../platform/http/route.ts";
import { fromPublicId, newId, toPublicId } from "../../platform/ids.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { shareLists } from "../../subscribers/subscribers.ts";
import { shareTemplate } from "../../templates/templates.ts";
import { campaignLocked, refuse } from "../problems.ts";
import type { CampaignCreate, CampaignPatch } from "../schema.ts";
import { campaignEtag } from "../shape.ts";
import { isAboutToStart, isDeletable, isEditable } from "../status.ts";
import {
  type CampaignRow,
  findCampaign,
  insertCampaign,
  lockCampaign,
  removeCampaign,
  stateOf,
  updateContent,
} from "../store.ts";
import { BLANK, EDITABLE, type Editable, pickEditable, readInput } from "./input.ts";
import { messageOf } from "./message.ts";
import { contentOfVersion, firstVersion, keepVersion } from "./versions.ts";

/** What the checks said of a content. They run before the transaction, because compiling is slow. */
export type LookedOver = { readonly content: string; readonly checks: readonly Check[] } | undefined;

/** What is known of a change beside what it says. */
export type Saving = { readonly lookedOver: LookedOver; readonly caller: Principal };

/** Examines a content and never refuses it: the transaction may have nothing to do but to repeat an earlier answer. */
export async function lookOver(
  ctx: Ctx,
  tools: MessageTools,
  input: CampaignPatch,
  id: string | undefined,
): Promise<LookedOver> {
  const base = id === undefined ? undefined : await findCampaign(ctx.sql, ctx.accountId, id);
  if (id !== undefined && !(base && isEditable(stateOf(base)))) return undefined;
  return examineContent(ctx, tools, id, () => readInput(ctx, base ?? BLANK, input));
}

/** Does the same for an earlier version that is to be restored. */
export async function lookOverVersion(
  ctx: Ctx,
  tools: MessageTools,
  id: string,
  number: number,
): Promise<LookedOver> {
  const base = await findCampaign(ctx.sql, ctx.accountId, id);
  if (!(base && isEditable(stateOf(base)))) return undefined;
  return examineContent(ctx, tools, id, () => contentOfVersion(ctx, base, number));
}

async function examineContent(
  ctx: Ctx,
  tools: MessageTools,
  id: string | undefined,
  read: () => Promise<Editable>,
): Promise<LookedOver> {
  try {
    const content = await read();
    const examined = await examineMessage(ctx, tools, messageOf({ ...content, id: id ?? newId(ctx.clock) }));
    if (isUndecided(examined)) return undefined;
    return { content: JSON.stringify(content), checks: examined.checks };
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

export async function createCampaign(
  ctx: TxCtx,
  input: CampaignCreate,
  lookedOver: LookedOver,
): Promise<CampaignRow> {
  await holdList(ctx, input.list_id);
  await holdTemplate(ctx, input.template_id);
  const content = await readInput(ctx, BLANK, input);
  return insertDraft(ctx, content, checksOf(lookedOver, content));
}

/** Keeps the list, and below the template, from being deleted until this transaction has ended. */
async function holdList(ctx: TxCtx, listId: string | undefined): Promise<void> {
  const id = listId && fromPublicId("lst", listId);
  if (id) await shareLists(ctx.sql, ctx.accountId, [id]);
}

async function holdTemplate(ctx: TxCtx, templateId: string | null | undefined): Promise<void> {
  const id = templateId && fromPublicId("tpl", templateId);
  if (id) await shareTemplate(ctx.sql, ctx.accountId, id);
}

async function insertDraft(ctx: TxCtx, content: Editable, checks: readonly Check[]): Promise<CampaignRow> {
  const now = ctx.clock.now();
  const made: Unsigned<CampaignRow> = {
    ...content,
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    checks,
    version: 1,
    status: "draft",
    paused_from: null,
    scheduled_from: null,
    pause_reason: null,
    status_reason: null,
    has_sent: false,
    is_agreed: false,
    waits_for_review: false,
    send_at: null,
    started_at: null,
    finished_at: null,
    archived_at: null,
    created_at: now,
    updated_at: now,
  };
  const row = await insertCampaign(ctx.sql, made, ctx.actor);
  await firstVersion(ctx, row);
  await recordEvent(ctx, { type: "campaign.created", data: aboutCampaign(row) });
  return row;
}

export async function updateCampaign(
  ctx: TxCtx,
  id: string,
  patch: CampaignPatch,
  ifMatch: string | undefined,
  { lookedOver, caller }: Saving,
): Promise<CampaignRow> {
  const row = await locked(ctx, id);
  requireMatch(ifMatch, campaignEtag(row));
  if (!isOnlyPublishing(patch)) requireEditable(row, caller);
  await holdList(ctx, patch.list_id);
  await holdTemplate(ctx, patch.template_id);
  return write(ctx, row, await readInput(ctx, row, patch), lookedOver, null);
}

/** Gives the campaign the words and the sender of an earlier version. */
export async function restoreVersion(
  ctx: TxCtx,
  id: string,
  number: number,
  ifMatch: string | undefined,
  { lookedOver, caller }: Saving,
): Promise<CampaignRow> {
  const row = await locked(ctx, id);
  requireMatch(ifMatch, campaignEtag(row));
  requireEditable(row, caller);
  return write(ctx, row, await contentOfVersion(ctx, row, number), lookedOver, number);
}

function requireEditable(row: CampaignRow, caller: Principal): void {
  const state = stateOf(row);
  if (isAboutToStart(state)) refuseMissingScope(caller, "campaigns:send");
  if (isEditable(state)) return;
  const why = row.is_agreed
    ? "it is about to leave as it was read; take it back to change it"
    : "it is being sent or was sent, and can't be changed; duplicate it";
  throw new AppError(campaignLocked, why, { members: { current_status: row.status } });
}

async function write(
  ctx: TxCtx,
  row: CampaignRow,
  content: Editable,
  lookedOver: LookedOver,
  restoredFrom: number | null,
): Promise<CampaignRow> {
  const fields = changedFields(pickEditable(row), content, EDITABLE);
  if (fields.length === 0) return row;
  // Publishing changes nothing of the mail: what was checked stays checked, and a launch under way goes on.
  const isShownElsewhere = fields.every((field) => field === "archive");
  const examined = isShownElsewhere
    ? { checks: row.checks, version: row.version }
    : { checks: checksOf(lookedOver, content), version: row.version + 1 };
  const after: CampaignRow = { ...row, ...content, ...examined, updated_at: ctx.clock.now() };
  const changed = await updateContent(ctx.sql, after, ctx.actor);
  const kept = isShownElsewhere ? "began" : await keepVersion(ctx, row, changed, restoredFrom);
  // An editor saves while its author types. A program that changes a campaign is told of each change.
  if (kept === "began" || ctx.actor.kind !== "user")
    await recordEvent(ctx, { type: "campaign.updated", data: { ...aboutCampaign(row), changed: fields } });
  return changed;
}

/** Whether it is shown in the archive is no part of the mail, so that may be changed after it was sent too. */
function isOnlyPublishing(patch: CampaignPatch): boolean {
  return Object.keys(patch).join() === "archive";
}

export async function deleteCampaign(ctx: TxCtx, id: string): Promise<void> {
  const row = await locked(ctx, id);
  if (!isDeletable(stateOf(row))) throw refuse(row.status, "only a draft can be deleted");
  await removeCampaign(ctx.sql, ctx.accountId, id);
  await recordEvent(ctx, { type: "campaign.deleted", data: aboutCampaign(row) });
}

const LONGEST_NAME = 200;

/** Copies what its author wrote into a new draft, whatever the campaign's status. */
export async function duplicateCampaign(ctx: TxCtx, id: string): Promise<CampaignRow> {
  const row = await findCampaign(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("campaign");
  return copyCampaign(ctx, row, " (copy)", {});
}

/** Copies a campaign; the copy's name ends in `suffix`. Each is published in the archive by a decision of its own. */
export function copyCampaign(
  ctx: TxCtx,
  row: CampaignRow,
  suffix: string,
  audience: Partial<Pick<Editable, "segment_id">>,
): Promise<CampaignRow> {
  const letters = [...row.name].slice(0, LONGEST_NAME - suffix.length).join("");
  const content = { ...pickEditable(row), ...audience, name: letters + suffix, archive: false };
  return insertDraft(ctx, content, row.checks);
}

async function locked(ctx: TxCtx, id: string): Promise<CampaignRow> {
  const row = await lockCampaign(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("campaign");
  return row;
}

/** Gives the checks that were made of this very content. There are none where somebody else changed it meanwhile. */
function checksOf(lookedOver: LookedOver, content: Editable): readonly Check[] {
  return lookedOver && lookedOver.content === JSON.stringify(content) ? lookedOver.checks : [];
}

export function aboutCampaign({ id, list_id }: Pick<CampaignRow, "id" | "list_id">) {
  return { campaign_id: toPublicId("cmp", id), list_id: toPublicId("lst", list_id) };
}
