import { type Static, Type } from "typebox";
import { UpdatedBy } from "../../accounts/accounts.ts";
import { Name, Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";

const TopicName = Name(100, "Product news");
const Description = Nullable(
  Type.String({
    maxLength: 500,
    description: "What people read beside the name where they choose.",
    examples: ["What is new, once a month."],
  }),
);
const Default = Type.Boolean({
  description:
    "Whether those get it who have said nothing. If it is false, a topic needs a yes of each person.",
});

export const Topic = Type.Object(
  {
    object: Type.Literal("topic"),
    id: PublicId("top"),
    name: TopicName,
    description: Description,
    default: Default,
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  {
    title: "Topic",
    examples: [
      {
        object: "topic",
        id: "top_01k9zq4t3xe8k8y0v6d3m2n1pq",
        name: "Product news",
        description: "What is new, once a month.",
        default: true,
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export const TopicPage = Page(Topic, "TopicPage");

const optional = {
  description: Type.Optional(Description),
  default: Type.Optional(Default),
};
export const TopicCreate = Strict(
  { name: TopicName, ...optional },
  { title: "TopicCreate", examples: [{ name: "Product news", default: true }] },
);
export const TopicPatch = Strict(
  { name: Type.Optional(TopicName), ...optional },
  { title: "TopicPatch", examples: [{ description: "What is new, once a month." }] },
);

export const SubscriberTopics = Type.Object(
  {
    object: Type.Literal("subscriber_topics"),
    subscriber_id: PublicId("sub"),
    topics: Type.Array(
      Type.Object({
        id: PublicId("top"),
        name: TopicName,
        description: Description,
        on: Type.Boolean({ description: "Whether the person gets mails of it." }),
        chosen: Type.Boolean({
          description:
            "Whether the person, or somebody for them, has said so; else it is the topic's default.",
        }),
        reason: Nullable(
          Type.String({ description: "Why the person left it, in their own words, where they said so." }),
        ),
      }),
      { description: "All topics of the account, by name." },
    ),
  },
  { title: "SubscriberTopics" },
);
export type SubscriberTopics = Static<typeof SubscriberTopics>;

const MOST_CHOICES = 50;

export const SubscriberTopicsPatch = Strict(
  {
    topics: Type.Record(Type.String({ maxLength: 64 }), Type.Boolean(), {
      minProperties: 1,
      maxProperties: MOST_CHOICES,
      description:
        "By the topic's id, whether the person is to get it. Topics that aren't named stay as they are.",
    }),
  },
  { title: "SubscriberTopicsPatch", examples: [{ topics: { top_01k9zq4t3xe8k8y0v6d3m2n1pq: false } }] },
);
