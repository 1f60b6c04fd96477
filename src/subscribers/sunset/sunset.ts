/**
 * A sunset policy of a list says when people count as gone who get its mail and do nothing with it. They are warned first, so that a campaign
 * can ask them to stay, and are left out of campaigns then. Any sign of life wakes them (`wake.ts` beside the rooms).
 */
import { recordEvent } from "../../events/events.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { sql } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob } from "../../platform/jobs/jobs.ts";
import { missing } from "../../platform/problems.ts";
import type { SentCampaigns } from "../engagement/engagement.ts";
import { listExists, shareLists } from "../lists/lists.ts";
import { findJudgement, hasEnoughMail, isSilent } from "./judge.ts";
import { wakeListJob } from "./nightly.ts";
import {
  countMarked,
  deletePolicy,
  findPolicy,
  lockPolicy,
  type PolicyRow,
  putPolicy,
} from "./policy-store.ts";
import type { SunsetInput, SunsetPolicy, SunsetPreviewInput } from "./schema.ts";

export { judgeListOf, sunsetJobs } from "./nightly.ts";

export async function readSunset(ctx: Ctx, listId: string): Promise<SunsetPolicy> {
  if (!(await listExists(ctx.sql, ctx.accountId, listId))) throw missing("list");
  const policy = await findPolicy(ctx.sql, ctx.accountId, listId);
  if (!policy) throw missing("sunset policy");
  return shape(ctx, policy);
}

/** Makes a policy, or changes the one that there is. It is first asked for in the next night. */
export async function putSunset(
  ctx: TxCtx,
  listId: string,
  input: SunsetInput,
  ifMatch: string | undefined,
): Promise<SunsetPolicy> {
  await holdList(ctx, listId);
  const before = await lockPolicy(ctx.sql, ctx.accountId, listId);
  requireMatch(ifMatch, before ? sunsetEtag({ ...before, paused: before.paused_at !== null }) : NO_POLICY);
  const policy = await putPolicy(ctx.sql, ctx.accountId, listId, input, ctx.clock.now());
  await recordChange(ctx, listId);
  return shape(ctx, policy);
}

/** No tag that a client was given is this one. */
const NO_POLICY = etagOf({});

/** The tag covers what a client may edit, and not the counts. */
export function sunsetEtag({ days, mails, grace_days, paused }: SunsetInput): string {
  return etagOf({ days, mails, grace_days, paused });
}

/** A job wakes everybody, however many they are. */
export async function deleteSunset(ctx: TxCtx, listId: string): Promise<void> {
  await holdList(ctx, listId);
  if (!(await deletePolicy(ctx.sql, ctx.accountId, listId))) throw missing("sunset policy");
  const until = ctx.clock.now().toISOString();
  await addJob(ctx.sql, wakeListJob, { account_id: ctx.accountId, list_id: listId, until });
  await recordChange(ctx, listId);
}

type Preview = { count: number; silent: number; not_judged: number };

/** Counts in one pass over the list whom such a policy would mark now. Null where that takes longer than a statement may. */
export async function previewSunset(
  ctx: Ctx,
  listId: string,
  input: SunsetPreviewInput,
  sent: SentCampaigns,
): Promise<Preview | null> {
  if (!(await listExists(ctx.sql, ctx.accountId, listId))) throw missing("list");
  const judgement = await findJudgement(ctx, sent, listId, input);
  try {
    // `offset 0` keeps it inside: only the mail of those who are silent is counted, and once.
    return await ctx.sql.one<Preview>(sql`
      select count(*) filter (where is_mailed) as count, count(*) as silent, count(*) filter (where not is_mailed) as not_judged
      from (
        select ${hasEnoughMail(judgement)} as is_mailed from (
          select s.* from subscribers s
          where s.account_id = ${ctx.accountId} and s.list_id = ${listId} and ${isSilent(judgement)} offset 0) as s
        offset 0) as judged`);
  } catch (error) {
    if (error instanceof DbError && error.kind === "busy") return null;
    throw error;
  }
}

async function holdList(ctx: TxCtx, listId: string): Promise<void> {
  const lists = await shareLists(ctx.sql, ctx.accountId, [listId]);
  if (lists.length === 0) throw missing("list");
}

function recordChange(ctx: TxCtx, listId: string): Promise<void> {
  const data = { list_id: toPublicId("lst", listId), changed: ["sunset"] };
  return recordEvent(ctx, { type: "list.updated", data });
}

async function shape(ctx: Ctx, row: PolicyRow): Promise<SunsetPolicy> {
  return {
    object: "sunset_policy",
    list_id: toPublicId("lst", row.list_id),
    days: row.days,
    mails: row.mails,
    grace_days: row.grace_days,
    paused: row.paused_at !== null,
    paused_at: row.paused_at?.toISOString() ?? null,
    counts: await countMarked(ctx.sql, ctx.accountId, row.list_id),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
