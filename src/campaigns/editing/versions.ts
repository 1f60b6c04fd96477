/**
 * Versions keep what the author of a campaign wrote. An editor saves every second, so one person's work of five minutes
 * is one version; going back to an earlier one is a version of its own, and loses nothing.
 */
import { type Actor, type Ctx, SYSTEM, type TxCtx } from "../../platform/context.ts";
import { missing } from "../../platform/problems.ts";
import type { CampaignRow } from "../store.ts";
import { type Editable, pickEditable } from "./input.ts";
import {
  findNewest,
  findVersion,
  insertVersion,
  overwriteVersion,
  type VersionHead,
  type Written,
} from "./version-store.ts";

const ONE_VERSION_MS = 5 * 60_000;
export const MOST_VERSIONS = 50;

function writtenOf(row: Editable): Written {
  const { archive: _shown, ...written } = pickEditable(row);
  return written;
}

export function firstVersion(ctx: TxCtx, row: CampaignRow): Promise<void> {
  return insert(ctx, row, { number: 1, by: ctx.actor, at: row.created_at, restoredFrom: null });
}

/**
 * Keeps what `after` says. Returns whether a version began with it, or the newest goes on: that of the same person, begun
 * less than five minutes ago. The caller holds a lock on the campaign.
 */
export async function keepVersion(
  ctx: TxCtx,
  before: CampaignRow,
  after: CampaignRow,
  restoredFrom: number | null,
): Promise<"began" | "went on"> {
  const { sql, accountId, actor } = ctx;
  const now = ctx.clock.now();
  const newest = await findNewest(sql, accountId, before.id);
  if (newest && restoredFrom === null && isOpen(newest, actor, now)) {
    await overwriteVersion(sql, accountId, before.id, newest.number, writtenOf(after), now);
    return "went on";
  }
  // A campaign from before there were versions: what it said until now would be lost.
  if (!newest)
    await insert(ctx, before, { number: 1, by: SYSTEM, at: before.updated_at, restoredFrom: null });
  await insert(ctx, after, { number: (newest?.number ?? 1) + 1, by: actor, at: now, restoredFrom });
  return "began";
}

function isOpen(newest: VersionHead, actor: Actor, now: Date): boolean {
  const isTheirs = newest.actor_kind === actor.kind && newest.actor_id === actor.id;
  const age = now.getTime() - newest.created_at.getTime();
  return isTheirs && age >= 0 && age < ONE_VERSION_MS;
}

type New = {
  readonly number: number;
  readonly by: Actor;
  readonly at: Date;
  readonly restoredFrom: number | null;
};

function insert(ctx: TxCtx, row: CampaignRow, { number, by, at, restoredFrom }: New): Promise<void> {
  const version = {
    number,
    subject: row.subject,
    restored_from: restoredFrom,
    actor_kind: by.kind,
    actor_id: by.id,
    created_at: at,
    updated_at: at,
    content: writtenOf(row),
  };
  return insertVersion(ctx.sql, ctx.accountId, row.id, version, MOST_VERSIONS);
}

/**
 * Gives a version's words and sender over those that the campaign has now. Whom it goes to stays, the topic included: a list may have gone
 * meanwhile, and nobody takes an old text back in order to mail other people.
 */
export async function contentOfVersion(ctx: Ctx, row: CampaignRow, number: number): Promise<Editable> {
  const version = await findVersion(ctx.sql, ctx.accountId, row.id, number);
  if (!version) throw missing("version");
  const now = pickEditable(row);
  const { list_id, segment_id, topic_id, on_ambiguous, archive } = now;
  // A version from before there were blocks says nothing of them, and has none.
  const written = { blocks: null, ...version.content };
  return pickEditable({ ...now, ...written, list_id, segment_id, topic_id, on_ambiguous, archive });
}
