/**
 * Sample data is a list of made-up people and a draft for them, so that somebody can look at everything before they have anything
 * of their own. Mail to that list goes into the sandbox, whatever the account sends by. It is made and removed in one transaction.
 */
import { createSampleCampaign, putAwayCampaigns, readSampleCampaigns } from "../campaigns/campaigns.ts";
import { listStarters } from "../content/content.ts";
import type { Ctx, TxCtx } from "../platform/context.ts";
import { sql } from "../platform/db/db.ts";
import { toPublicId } from "../platform/ids.ts";
import { AppError } from "../platform/problems.ts";
import {
  addBatch,
  allFields,
  createField,
  createList,
  deleteField,
  deleteList,
  findSampleList,
  type HashAddress,
  keepSampleList,
  lockSampleList,
  removeMadeUpPeople,
  subscriberLimitReached,
  tagKey,
} from "../subscribers/subscribers.ts";
import { SAMPLE_FIELD, SAMPLE_TAGS, samplePeople } from "./people.ts";
import type { SampleData } from "./schema.ts";

const LIST_NAME = "Sample: readers";
const CAMPAIGN_NAME = "Sample: a first letter";

export async function readSampleData({ sql: db, accountId }: Ctx | TxCtx): Promise<SampleData> {
  const list = await findSampleList(db, accountId);
  if (!list) return NONE;
  const { sampleId, drafts, others } = await readSampleCampaigns(db, accountId, list.id);
  return {
    object: "sample_data",
    list_id: toPublicId("lst", list.id),
    campaign_id: sampleId && toPublicId("cmp", sampleId),
    subscribers: list.madeUp,
    own_subscribers: list.others,
    drafts,
    campaigns: others,
  };
}

const NONE: SampleData = {
  object: "sample_data",
  list_id: null,
  campaign_id: null,
  subscribers: 0,
  own_subscribers: 0,
  drafts: 0,
  campaigns: 0,
};

/** Adds what is missing of the list and the campaign. Of two at once, the second finds what the first has made. */
export async function addSampleData(ctx: TxCtx, hash: HashAddress): Promise<SampleData> {
  await oneAtATime(ctx);
  const found = await findSampleList(ctx.sql, ctx.accountId);
  const listId = found?.id ?? (await addPeople(ctx, hash));
  const { sampleId } = await readSampleCampaigns(ctx.sql, ctx.accountId, listId);
  if (sampleId === null) await addCampaign(ctx, listId);
  return readSampleData(ctx);
}

/** Whoever adds or removes sample data waits for the other. New rows of the account need only a weaker lock of its row. */
async function oneAtATime({ sql: tx, accountId }: TxCtx): Promise<void> {
  await tx.execute(sql`select from accounts where account_id = ${accountId} for no key update`);
}

async function addPeople(ctx: TxCtx, hash: HashAddress): Promise<string> {
  const list = await createList(ctx, { name: LIST_NAME, is_sample: true });
  if (!(await findField(ctx))) await createField(ctx, SAMPLE_FIELD);
  const results = await addBatch(ctx, hash, samplePeople(toPublicId("lst", list.id)), "skip");
  const refused = results.find(({ error }) => error !== undefined);
  if (refused?.error?.code === subscriberLimitReached.code) {
    const { detail, ...members } = refused.error;
    throw new AppError(subscriberLimitReached, detail, { members });
  }
  if (refused) throw new Error(`a made-up person was refused: ${JSON.stringify(refused.error)}`);
  return list.id;
}

async function addCampaign(ctx: TxCtx, listId: string): Promise<void> {
  const letter = listStarters().find(({ id }) => id === "letter");
  if (!letter) throw new Error("there is no letter to start from");
  await createSampleCampaign(ctx, {
    name: CAMPAIGN_NAME,
    list_id: toPublicId("lst", listId),
    subject: letter.subject,
    preview_text: letter.preheader,
    blocks: letter.blocks,
  });
}

async function findField({ sql: db, accountId }: TxCtx) {
  return (await allFields(db, accountId)).find(({ key }) => key === SAMPLE_FIELD.key);
}

/**
 * Deletes the list, its people and its drafts, and archives its other campaigns. Where somebody has added people of their own, the
 * list stays with them, as one like any other, and so do the campaigns that somebody made for it.
 */
export async function removeSampleData(ctx: TxCtx): Promise<void> {
  await oneAtATime(ctx);
  if (!(await lockSampleList(ctx.sql, ctx.accountId))) return;
  await removeMadeUpPeople(ctx, SAMPLE_TAGS.map(tagKey));
  // Who is left is counted last: somebody may be given a real address until the made-up people are locked.
  const list = await findSampleList(ctx.sql, ctx.accountId);
  if (!list) return;
  const isKept = list.others > 0;
  await putAwayCampaigns(ctx, list.id, isKept);
  if (isKept) return keepSampleList(ctx);
  const field = await findField(ctx);
  // One from before the list is somebody's own, and so are the values that other people have of it.
  if (field && field.created_at >= list.createdAt) await deleteField(ctx, field.id);
  await deleteList(ctx, list.id, false);
}
