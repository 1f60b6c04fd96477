/**
 * Makes a segment of recipients to whom something happened. A job gives each of them a tag, which nobody had before, and the segment
 * has whoever has that tag: it stays as it is whatever happens later, everybody can see who is in it, and a tag can be taken off.
 */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { addJob, defineJob } from "../../platform/jobs/jobs.ts";
import type { Log } from "../../platform/log.ts";
import { invalid } from "../../platform/problems.ts";
import {
  createSegment,
  findSegment,
  insertTag,
  type RecipientFilter,
  tagSubscribers,
} from "../../subscribers/subscribers.ts";
import { sentCampaigns } from "../sent-campaigns.ts";
import type { CampaignRow } from "../store.ts";
import { listByEvent } from "./by-event.ts";
import {
  insertRecipientSegment,
  lockRecipientSegment,
  type RecipientSegmentRow,
  writeProgress,
} from "./segment-store.ts";

export async function makeSegment(
  ctx: TxCtx,
  campaign: Pick<CampaignRow, "id" | "list_id">,
  name: string,
  { type, includeMachines }: RecipientFilter,
): Promise<RecipientSegmentRow> {
  if (name.trim() === "") throw invalid({ pointer: "/name", code: "required", detail: "must not be blank" });
  const tagId = await insertTag(ctx, name);
  if (!tagId) {
    const detail = "there is a tag of this name, and whoever has it would be in the segment";
    throw invalid({ pointer: "/name", code: "taken", detail });
  }
  const input = {
    name,
    list_id: toPublicId("lst", campaign.list_id),
    rules: { all: [{ field: "tag", op: "has", value: name }] },
  };
  const segment = await createSegment(ctx, input, sentCampaigns);
  const now = ctx.clock.now();
  const row: RecipientSegmentRow = {
    account_id: ctx.accountId,
    segment_id: segment.id,
    campaign_id: campaign.id,
    tag_id: tagId,
    tag_name: name.trim(),
    event: type,
    include_machines: includeMachines,
    after: null,
    processed: 0,
    tagged: 0,
    created_at: now,
    updated_at: now,
    completed_at: null,
  };
  await insertRecipientSegment(ctx.sql, row);
  await addJob(ctx.sql, tagRecipientsJob, { account_id: ctx.accountId, segment_id: segment.id });
  return row;
}

const TAGGED_AT_ONCE = 1_000;

export const tagRecipientsJob = defineJob<{ account_id: string; segment_id: string }>({
  name: "tag_recipients",
  priority: 5,
  timeoutMs: 3_600_000,
  run: async (job, { account_id: accountId, segment_id: segmentId }) => {
    for (;;) {
      const isDone = await job.db.transaction((tx) => tagSome(job, tx, accountId, segmentId));
      if (isDone) return;
      // What is left is done by the next run: how far it came was written with each batch.
      job.signal.throwIfAborted();
    }
  },
});

async function tagSome(
  job: { readonly db: Db; readonly clock: Clock; readonly log: Log },
  tx: Tx,
  accountId: string,
  segmentId: string,
): Promise<boolean> {
  const row = await lockRecipientSegment(tx, accountId, segmentId);
  if (!row || row.completed_at) return true;
  const ctx = { ...systemCtx(job, job.db, accountId), sql: tx };
  const isWanted = (await findSegment(tx, accountId, segmentId)) !== undefined;
  const filter = { type: row.event, includeMachines: row.include_machines };
  const page = { limit: TAGGED_AT_ONCE, after: row.after ?? undefined };
  const found = isWanted ? await listByEvent(tx, accountId, row.campaign_id, filter, page) : [];
  const ids = found.flatMap(({ row: mail }) => (mail?.subscriberId ? [mail.subscriberId] : []));
  const tagged = await tagSubscribers(ctx, row.tag_id, ids);
  const isDone = found.length < TAGGED_AT_ONCE;
  const now = job.clock.now();
  await writeProgress(tx, {
    ...row,
    after: found.at(-1)?.contactId ?? row.after,
    processed: row.processed + found.length,
    tagged: row.tagged + tagged,
    updated_at: now,
    completed_at: isDone ? now : null,
  });
  return isDone;
}
