import type { Ctx } from "../../platform/context.ts";
import { TOO_MANY_BY_PROGRAMS } from "../../platform/http/audit.ts";
import { escapePointer } from "../../platform/http/bodies/validation.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { fromPublicId, requireId, toPublicId } from "../../platform/ids.ts";
import { type Fault, invalid, missing } from "../../platform/problems.ts";
import { tooManyTopics } from "../problems.ts";
import { shapeTopic } from "../shape.ts";
import { findSubscriber, type SubscriberView } from "../subscriber-store.ts";
import {
  SubscriberTopics,
  SubscriberTopicsPatch,
  Topic,
  TopicCreate,
  TopicPage,
  TopicPatch,
} from "./schema.ts";
import { countTopics, listTopics } from "./topic-store.ts";
import {
  createTopic,
  deleteTopic,
  findTopic,
  findTopicIds,
  listTopicChoices,
  setTopicChoices,
  topicEtag,
  updateTopic,
} from "./topics.ts";

const Params = Strict({ id: PublicId("top") });
const SubscriberParams = Strict({ id: PublicId("sub") });
const tag = "Topics";
const theTopics = {
  status: 200,
  schema: SubscriberTopics,
  description: "The account's topics, and which of them the person gets.",
};

export const topicRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/topics",
    scope: "lists:read",
    tag,
    summary: "List topics",
    description: "Newest first; at most 50.",
    query: PageQuery({}),
    success: { status: 200, schema: TopicPage, description: "A page of topics." },
    handler: (call) => pageByAge(call, { list: listTopics, count: countTopics, shape: shapeTopic }),
  }),
  writeRoute({
    method: "POST",
    path: "/v1/topics",
    scope: "subscribers:write",
    audit: { action: "topic.created", of: "answer" },
    tag,
    summary: "Make a topic",
    description:
      "People choose topics apart from lists, and a campaign may have one: then only those get it who get the topic. Those who have " +
      "said nothing get it where `default` is true, which it is unless you say otherwise.",
    body: TopicCreate,
    success: { status: 201, schema: Topic, description: "The topic." },
    problems: [tooManyTopics],
    async handler({ ctx, body, baseUrl }) {
      const topic = await createTopic(ctx, body);
      const shaped = shapeTopic(topic);
      const headers = { location: `${baseUrl}/v1/topics/${shaped.id}` };
      return { status: 201, body: shaped, headers, etag: topicEtag(topic) };
    },
  }),
  readRoute({
    path: "/v1/topics/:id",
    scope: "lists:read",
    tag,
    summary: "Get a topic",
    description: "Its name, its description and whether people get it by default.",
    params: Params,
    success: { status: 200, schema: Topic, description: "The topic." },
    async handler({ ctx, params }) {
      const topic = await findTopic(ctx.sql, ctx.accountId, requireId("top", params.id, "topic"));
      if (!topic) throw missing("topic");
      return { status: 200, body: shapeTopic(topic), etag: topicEtag(topic) };
    },
  }),
  writeRoute({
    method: "PATCH",
    path: "/v1/topics/:id",
    scope: "subscribers:write",
    audit: { action: "topic.updated", of: "path" },
    tag,
    summary: "Change a topic",
    description:
      "What is left out stays as it is. Another `default` holds at once for all who have said nothing, in mail that waits to be sent too.",
    params: Params,
    body: TopicPatch,
    success: { status: 200, schema: Topic, description: "The topic as it now is." },
    async handler({ ctx, params, body, ifMatch }) {
      const topic = await updateTopic(ctx, requireId("top", params.id, "topic"), body, ifMatch);
      return { status: 200, body: shapeTopic(topic), etag: topicEtag(topic) };
    },
  }),
  writeRoute({
    method: "DELETE",
    path: "/v1/topics/:id",
    scope: "subscribers:write",
    audit: { action: "topic.deleted", of: "path" },
    tag,
    summary: "Delete a topic",
    description:
      "Nobody is asked about it any more. A campaign that has it can't be sent until it has another or none; one that is being sent " +
      "goes on, and those who left the topic still don't get it.",
    params: Params,
    success: { status: 204, schema: null, description: "Gone." },
    async handler({ ctx, params }) {
      await deleteTopic(ctx, requireId("top", params.id, "topic"));
      return { status: 204 };
    },
  }),
  readRoute({
    path: "/v1/subscribers/:id/topics",
    scope: "subscribers:read",
    tag,
    summary: "Get a subscriber's topics",
    description: "What a person says about topics holds for their address, on every list.",
    params: SubscriberParams,
    success: theTopics,
    async handler({ ctx, params }) {
      return { status: 200, body: await topicsOf(ctx, await mustFind(ctx, params.id)) };
    },
  }),
  writeRoute({
    method: "PATCH",
    path: "/v1/subscribers/:id/topics",
    scope: "subscribers:write",
    audit: { action: "subscriber.topics_changed", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
    tag,
    summary: "Change a subscriber's topics",
    description:
      "It holds for the address, on every list, and for mail that is queued and not yet on its way.",
    params: SubscriberParams,
    body: SubscriberTopicsPatch,
    success: theTopics,
    async handler({ ctx, params, body }) {
      const subscriber = await mustFind(ctx, params.id);
      const choices = await readChoices(ctx, body.topics);
      const before = await topicsOf(ctx, subscriber);
      await setTopicChoices(ctx, subscriber.contact_id, choices, "api");
      const after = await topicsOf(ctx, subscriber);
      const isSame = JSON.stringify(after) === JSON.stringify(before);
      return { status: 200, body: after, ...(isSame && { changedNothing: true as const }) };
    },
  }),
];

async function mustFind(ctx: Ctx, publicId: string): Promise<SubscriberView> {
  const id = requireId("sub", publicId, "subscriber");
  const subscriber = await findSubscriber(ctx.sql, ctx.accountId, id);
  if (!subscriber) throw missing("subscriber");
  return subscriber;
}

async function topicsOf(
  ctx: Ctx,
  { id, contact_id: contactId }: Pick<SubscriberView, "id" | "contact_id">,
): Promise<SubscriberTopics> {
  const choices = await listTopicChoices(ctx.sql, ctx.accountId, contactId);
  return {
    object: "subscriber_topics",
    subscriber_id: toPublicId("sub", id),
    topics: choices.map((one) => ({
      id: toPublicId("top", one.id),
      name: one.name,
      description: one.description,
      on: one.isOn,
      chosen: one.isChosen,
      reason: one.reason,
    })),
  };
}

async function readChoices(ctx: Ctx, asked: Readonly<Record<string, boolean>>) {
  const read = Object.entries(asked).map(([key, isOn]) => ({ key, topicId: fromPublicId("top", key), isOn }));
  const known = await findTopicIds(
    ctx.sql,
    ctx.accountId,
    read.flatMap(({ topicId }) => topicId ?? []),
  );
  const faults: Fault[] = read
    .filter(({ topicId }) => !(topicId && known.has(topicId)))
    .map(({ key }) => ({
      pointer: `/topics/${escapePointer(key)}`,
      code: "not_found",
      detail: "there is no such topic in this account",
    }));
  if (faults.length > 0) throw invalid(...faults);
  return read.flatMap(({ topicId, isOn }) => (topicId ? [{ topicId, isOn }] : []));
}
