/** The sample list has the campaign that came with it, and those that somebody made for it. */
import { signedBy } from "../accounts/accounts.ts";
import { recordEvent } from "../events/events.ts";
import type { TxCtx } from "../platform/context.ts";
import { type Queryable, sql } from "../platform/db/db.ts";
import { aboutCampaign, createCampaign, deleteCampaign } from "./editing/editing.ts";
import { cancelCampaign, unscheduleCampaign } from "./lifecycle/lifecycle.ts";
import type { CampaignCreate } from "./schema.ts";
import { isDeletable, nextState } from "./status.ts";
import { type CampaignHead, findHead, stateOf } from "./store.ts";

export type SampleCampaigns = {
  /** The one that came with the sample data, unless it is gone. */
  readonly sampleId: string | null;
  /** Those of which nothing was sent, also where they wait for their time. */
  readonly drafts: number;
  readonly others: number;
};

export function readSampleCampaigns(
  db: Queryable,
  accountId: string,
  listId: string,
): Promise<SampleCampaigns> {
  return db.one<SampleCampaigns>(sql`
    select (array_agg(id order by created_at desc) filter (where is_sample))[1] as "sampleId",
           count(*) filter (where is_draft) as drafts, count(*) filter (where not is_draft) as others
    from campaigns cross join lateral (select status = 'draft' or scheduled_from is not distinct from 'draft' as is_draft) as d
    where account_id = ${accountId} and list_id = ${listId} and archived_at is null`);
}

export async function createSampleCampaign(ctx: TxCtx, input: CampaignCreate): Promise<void> {
  const { id } = await createCampaign(ctx, input, undefined);
  await ctx.sql.execute(sql`
    update campaigns set is_sample = true where account_id = ${ctx.accountId} and id = ${id}`);
}

/** Deletes the drafts of the list and archives all else, or only what came with the sample data. What is being sent is canceled. */
export async function putAwayCampaigns(ctx: TxCtx, listId: string, onlySample: boolean): Promise<void> {
  const rows = await ctx.sql.many<{ id: string }>(sql`
    select id from campaigns where account_id = ${ctx.accountId} and list_id = ${listId} and archived_at is null
      and (is_sample or not ${onlySample}) order by id`);
  for (const { id } of rows) await putAway(ctx, id);
}

async function putAway(ctx: TxCtx, id: string): Promise<void> {
  let row: CampaignHead | undefined = await findHead(ctx.sql, ctx.accountId, id);
  if (row && nextState(stateOf(row), "unschedule")) row = await unscheduleCampaign(ctx, id);
  if (row && (row.status === "sending" || row.status === "paused")) row = await cancelCampaign(ctx, id);
  if (!row) return;
  if (isDeletable(stateOf(row))) return deleteCampaign(ctx, id);
  const now = ctx.clock.now();
  await ctx.sql.execute(sql`
    update campaigns set archived_at = ${now}, updated_at = ${now}, ${signedBy(ctx.actor)}
    where account_id = ${ctx.accountId} and id = ${id}`);
  const data = { ...aboutCampaign(row), changed: ["archived_at"] };
  await recordEvent(ctx, { type: "campaign.updated", data });
}
