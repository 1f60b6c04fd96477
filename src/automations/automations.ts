/**
 * An automation leads people of one list through steps: mails, waits, branches. Its draft may have faults while it is being written;
 * they are named with every answer. This file is what other folders may use.
 */
import { changedFields, recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import { fromPublicId, newId, toPublicId } from "../platform/ids.ts";
import { AppError, type Fault, invalid, missing } from "../platform/problems.ts";
import { shareLists } from "../subscribers/subscribers.ts";
import { closeWavesOf } from "./executing/executing.ts";
import { FORMAT } from "./graph/graph.ts";
import { refuse, tooManyAutomations } from "./problems.ts";
import { removeRunsOf } from "./runs/runs.ts";
import type { AutomationCreate, AutomationPatch } from "./schema.ts";
import { isDeletable, isEditable } from "./status.ts";
import {
  type AutomationRow,
  insertAutomation,
  lockAndCount,
  lockAutomation,
  removeAutomation,
  updateAutomationRow,
} from "./store.ts";

export { startDates } from "./dates/dates.ts";
export { automationOwner, startExecutor } from "./executing/executing.ts";
export { createCaughtUpTo, startFeed } from "./feed/feed.ts";
export { resealStepSecrets, startOutbox } from "./outbox/outbox.ts";
export { removeRunsJob } from "./runs/runs.ts";
export { startSegments } from "./segments/segments.ts";
export { findNames as findAutomationNames } from "./store.ts";

const MOST_AUTOMATIONS = 500;
const MOST_DRAFT_BYTES = 256 * 1_024;
const LONGEST_NAME = 200;
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const EDITABLE = ["name", "draft"] as const;

/** A draft of which nothing is written yet. */
const EMPTY = {
  format: FORMAT,
  start: "end",
  entry: { on: [{ type: "list_joined" }] },
  nodes: { end: { type: "end" } },
};

export async function createAutomation(ctx: TxCtx, input: AutomationCreate): Promise<AutomationRow> {
  refuseFaulty(input);
  const listId = fromPublicId("lst", input.list_id);
  const [list] = listId ? await shareLists(ctx.sql, ctx.accountId, [listId]) : [];
  if (!list)
    throw invalid({
      pointer: "/list_id",
      code: "not_found",
      detail: "there is no such list in this account",
    });
  return insertNew(ctx, { name: input.name, list_id: list.id, draft: input.draft ?? EMPTY });
}

async function insertNew(
  ctx: TxCtx,
  made: Pick<AutomationRow, "name" | "list_id" | "draft">,
): Promise<AutomationRow> {
  if ((await lockAndCount(ctx.sql, ctx.accountId)) >= MOST_AUTOMATIONS)
    throw new AppError(tooManyAutomations, `an account may have ${MOST_AUTOMATIONS} automations`);
  const now = ctx.clock.now();
  const unsigned = {
    ...made,
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    state: "draft",
    version: 0,
    paused_at: null,
    has_people: false,
    is_signed: false,
    webhook_previous_until: null,
    overdue: null,
    created_at: now,
    updated_at: now,
  } as const;
  const row = await insertAutomation(ctx.sql, unsigned, ctx.actor);
  await recordEvent(ctx, { type: "automation.created", data: about(row) });
  return row;
}

export async function updateAutomation(
  ctx: TxCtx,
  id: string,
  patch: AutomationPatch,
  ifMatch: string | undefined,
): Promise<AutomationRow> {
  refuseFaulty(patch);
  const row = await locked(ctx, id);
  if (!isEditable(row.state)) throw refuse(row.state, "it is archived: duplicate it, and change the copy");
  requireMatch(ifMatch, automationEtag(row));
  const after = { ...row, ...patch, updated_at: ctx.clock.now() };
  const changed = changedFields<AutomationRow>(row, after, EDITABLE);
  if (changed.length === 0) return row;
  const written = await updateAutomationRow(ctx.sql, after, ctx.actor);
  await recordEvent(ctx, { type: "automation.updated", data: { ...about(row), changed } });
  return written;
}

/** Makes another with the same steps for the same list. */
export async function duplicateAutomation(ctx: TxCtx, id: string): Promise<AutomationRow> {
  const { name, list_id, draft } = await locked(ctx, id);
  const copy = [...`Copy of ${name}`].slice(0, LONGEST_NAME).join("");
  return insertNew(ctx, { name: copy, list_id, draft });
}

export async function deleteAutomation(ctx: TxCtx, id: string): Promise<void> {
  const row = await locked(ctx, id);
  if (!isDeletable(row.state))
    throw refuse(row.state, "people may be inside: cancel it first, or drain it until it is archived");
  await closeWavesOf(ctx, id);
  await removeAutomation(ctx.sql, ctx.accountId, id);
  await removeRunsOf(ctx.sql, ctx.accountId, id);
  await recordEvent(ctx, { type: "automation.deleted", data: about(row) });
}

export function automationEtag({ name, draft }: AutomationRow): string {
  return etagOf({ name, draft });
}

async function locked(ctx: TxCtx, id: string): Promise<AutomationRow> {
  const row = await lockAutomation(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("automation");
  return row;
}

function about({ id }: Pick<AutomationRow, "id">) {
  return { automation_id: toPublicId("aut", id) };
}

/** Refuses what couldn't be kept; other faults of a draft may be mended later. */
function refuseFaulty({ name = "", draft }: AutomationPatch): void {
  const faults: Fault[] = [];
  if (CONTROLS.test(name)) {
    const detail = "has a line break or another control character in it";
    faults.push({ pointer: "/name", code: "invalid_character", detail });
  }
  if (draft !== undefined && Buffer.byteLength(JSON.stringify(draft)) > MOST_DRAFT_BYTES)
    faults.push({ pointer: "/draft", code: "too_large", detail: "a draft may have 256 KB" });
  if (faults.length > 0) throw invalid(...faults);
}
