/**
 * A topic says what a mail is about, whatever its list. Those who have said nothing get it if it is on by default; a topic that is not
 * needs a yes. What people say hangs on their contact, so that it holds on every list and outlives the subscriber.
 */
import type { Unsigned } from "../../accounts/accounts.ts";
import { changedFields, recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { AppError, invalid, missing } from "../../platform/problems.ts";
import { tooManyTopics } from "../problems.ts";
import {
  countTopicsAlone,
  insertTopic,
  lockTopic,
  markTopicDeleted,
  type TopicRow,
  updateTopicRow,
} from "./topic-store.ts";

export { getsTopicNow, listTopicChoices, removeChoices, type TopicChoice } from "./choice-store.ts";
export { leaveTopic, setTopicChoices, undoLeaveTopic } from "./choices.ts";
export { findTopic, findTopicIds, type TopicRow } from "./topic-store.ts";

/** People choose among all of them on one page. */
const MOST_TOPICS = 50;

const EDITABLE = ["name", "description", "default"] as const;

type TopicInput = Partial<Pick<TopicRow, (typeof EDITABLE)[number]>>;

export async function createTopic(ctx: TxCtx, input: TopicInput & { name: string }): Promise<TopicRow> {
  refuseControls(input);
  if ((await countTopicsAlone(ctx.sql, ctx.accountId)) >= MOST_TOPICS)
    throw new AppError(tooManyTopics, `${MOST_TOPICS} topics are the most an account may have`);
  const now = ctx.clock.now();
  const made: Unsigned<TopicRow> = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    name: input.name,
    description: input.description ?? null,
    default: input.default ?? true,
    created_at: now,
    updated_at: now,
  };
  const topic = await insertTopic(ctx.sql, made, ctx.actor);
  await recordEvent(ctx, { type: "topic.created", data: { topic_id: toPublicId("top", topic.id) } });
  return topic;
}

/** A name stands in a header of mails and on public pages: line breaks and what turns the reading direction around are refused. */
function refuseControls({ name = "" }: TopicInput): void {
  if (!/[\p{Cc}\u2028-\u202E\u2066-\u2069]/u.test(name)) return;
  const detail = "has a line break or another control character in it";
  throw invalid({ pointer: "/name", code: "invalid_character", detail });
}

export async function updateTopic(
  ctx: TxCtx,
  id: string,
  patch: TopicInput,
  ifMatch: string | undefined,
): Promise<TopicRow> {
  refuseControls(patch);
  const topic = await lockTopic(ctx.sql, ctx.accountId, id);
  if (!topic) throw missing("topic");
  requireMatch(ifMatch, topicEtag(topic));
  const changed = { ...topic, ...patch, updated_at: ctx.clock.now() };
  const fields = changedFields(topic, changed, EDITABLE);
  if (fields.length === 0) return topic;
  const after = await updateTopicRow(ctx.sql, changed, ctx.actor);
  const data = { topic_id: toPublicId("top", id), changed: fields };
  await recordEvent(ctx, { type: "topic.updated", data });
  return after;
}

/**
 * Nobody can choose it any more, and no campaign can be sent with it. What is being sent goes on, and those who left it still don't
 * get it.
 */
export async function deleteTopic(ctx: TxCtx, id: string): Promise<void> {
  const topic = await lockTopic(ctx.sql, ctx.accountId, id);
  if (!topic) throw missing("topic");
  await markTopicDeleted(ctx.sql, ctx.accountId, id, ctx.clock.now(), ctx.actor);
  await recordEvent(ctx, { type: "topic.deleted", data: { topic_id: toPublicId("top", id) } });
}

export function topicEtag(topic: TopicRow): string {
  return etagOf(Object.fromEntries(EDITABLE.map((name) => [name, topic[name]])));
}
