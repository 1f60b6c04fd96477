/**
 * Sections are blocks that somebody saved under a name to put them into other mails again. A mail takes a copy, so that changing or
 * deleting a section changes no mail. This file is what other folders may use.
 */
import { findBlockFaults } from "../content/content.ts";
import { changedFields, recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import { isUniqueViolation } from "../platform/db/errors.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { AppError, type Fault, invalid, missing } from "../platform/problems.ts";
import { sectionExists, tooManySections } from "./problems.ts";
import type { SectionCreate, SectionPatch } from "./schema.ts";
import {
  insertSection,
  lockAndCount,
  lockSection,
  removeSection,
  type SectionRow,
  updateSectionRow,
} from "./store.ts";

export { sectionShowing } from "./store.ts";

const MOST_SECTIONS = 200;
const CONTROLS = /[\p{Cc}\u2028\u2029]/u;
const EDITABLE = ["name", "blocks"] as const;

export async function createSection(ctx: TxCtx, { name, blocks }: SectionCreate): Promise<SectionRow> {
  refuseFaulty({ name, blocks }, null);
  if ((await lockAndCount(ctx.sql, ctx.accountId)) >= MOST_SECTIONS)
    throw new AppError(tooManySections, `an account may have ${MOST_SECTIONS} sections`);
  const now = ctx.clock.now();
  const made = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    name,
    blocks,
    created_at: now,
    updated_at: now,
  };
  const row = await refusingTakenName(name, () => insertSection(ctx.sql, made, ctx.actor));
  await recordEvent(ctx, { type: "section.created", data: about(row) });
  return row;
}

export async function updateSection(
  ctx: TxCtx,
  id: string,
  patch: SectionPatch,
  ifMatch: string | undefined,
): Promise<SectionRow> {
  const row = await locked(ctx, id);
  refuseFaulty(patch, row.blocks);
  requireMatch(ifMatch, sectionEtag(row));
  const after = { ...row, ...patch, updated_at: ctx.clock.now() };
  const changed = changedFields<SectionRow>(row, after, EDITABLE);
  if (changed.length === 0) return row;
  const written = await refusingTakenName(after.name, () => updateSectionRow(ctx.sql, after, ctx.actor));
  await recordEvent(ctx, { type: "section.updated", data: { ...about(row), changed } });
  return written;
}

export async function deleteSection(ctx: TxCtx, id: string): Promise<void> {
  const row = await locked(ctx, id);
  await removeSection(ctx.sql, ctx.accountId, id);
  await recordEvent(ctx, { type: "section.deleted", data: about(row) });
}

export function sectionEtag({ name, blocks }: SectionRow): string {
  return etagOf({ name, blocks });
}

async function locked(ctx: TxCtx, id: string): Promise<SectionRow> {
  const row = await lockSection(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("section");
  return row;
}

function about({ id }: Pick<SectionRow, "id">) {
  return { section_id: toPublicId("sec", id) };
}

function refuseFaulty({ name = "", blocks }: SectionPatch, stored: SectionRow["blocks"] | null): void {
  const faults: Fault[] = blocks ? findBlockFaults(blocks, stored) : [];
  if (CONTROLS.test(name)) {
    const detail = "has a line break or another control character in it";
    faults.push({ pointer: "/name", code: "invalid_character", detail });
  }
  if (faults.length === 0 && blocks?.blocks.length === 0) {
    faults.push({ pointer: "/blocks/blocks", code: "required", detail: "must have a block" });
  }
  if (faults.length > 0) throw invalid(...faults);
}

async function refusingTakenName<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error, "sections_by_name")) throw error;
    throw new AppError(sectionExists, `there is a section named ${name} already`);
  }
}
