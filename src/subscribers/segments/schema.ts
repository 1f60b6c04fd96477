/** What segments look like from outside. */

import { type Static, Type } from "typebox";
import { UpdatedBy } from "../../accounts/accounts.ts";
import { BodyId, Nullable, PageQuery, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { Subscriber } from "../schema.ts";
import { BUILT_IN } from "./rules.ts";

const example = {
  all: [
    { field: "status", op: "is", value: "active" },
    {
      any: [
        { field: "tag", op: "has", value: "vip" },
        { field: "created_at", op: "in_last_days", value: 30 },
      ],
    },
  ],
};
/** The rules are read by `rules.ts`, which names each fault at its place. */
const Rules = Type.Unsafe<unknown>({
  type: "object",
  additionalProperties: true,
  description:
    "A tree of `{all: […]}`, `{any: […]}`, `{not: …}` over conditions `{field, op, value}`. Fields: " +
    `${Object.keys(BUILT_IN).join(", ")}, and ` +
    "`fields.<key>`. Text: is, is_not, contains, not_contains, starts_with, ends_with, one_of. Numbers: is, is_not, above, " +
    "below, at_least, at_most, between. What the list's sunset policy says, `dormancy`: is, is_not with warned or dormant. Dates and times: before, after, between, in_last_days and so on. All but status, " +
    "tag, list and dormancy: is_set, is_not_set. At most 8 deep and 100 conditions, 20 of them about mail and events. Mail: `sent` (campaign, not_campaign; at_least, fewer_than with `{mails, days}`), `opened` and " +
    "`clicked` (campaign, not_campaign, any_of_last, none_of_last, in_last_days, not_in_last_days; clicked also link, " +
    "not_link), with a campaign's id, a number of campaigns (1 to 50, of the subscriber's list) or days, or for a link " +
    "`{campaign_id, url}`. Only what people did counts, unless `machines` is true. A negative one, and a `not` around one, " +
    "matches nobody whose opens or clicks couldn't be seen: who got no tracked mail, or whose images Apple fetches ahead. What " +
    "`/v1/track` told: `event` (did, did_not) with `{name, days, count, where}`, of which `name` alone is needed: within 1 to 400 " +
    "days, at least 1 to 1,000 times, and with these properties.",
  examples: [
    example,
    { field: "opened", op: "not_in_last_days", value: 90 },
    { field: "event", op: "did", value: { name: "order.placed", days: 30 } },
  ],
});
const Name = Type.String({
  minLength: 1,
  maxLength: 200,
  format: "one-line",
  examples: ["New or important"],
});

const Names = Type.Record(Type.String(), Type.String(), {
  description:
    "What the lists and campaigns are called whose ids are in the rules, by id. One that is gone is missing.",
});

export const Segment = Type.Object(
  {
    object: Type.Literal("segment"),
    id: PublicId("seg"),
    name: Name,
    list_id: Nullable(PublicId("lst")),
    rules: Rules,
    sentence: Type.String({ description: "The rules in plain English." }),
    names: Names,
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "Segment" },
);
export type Segment = Static<typeof Segment>;

const ListId = Type.Optional(Nullable(BodyId("lst", "Of this list only; null is every list.")));
export const SegmentCreate = Strict(
  { name: Name, list_id: ListId, rules: Rules },
  { title: "SegmentCreate", examples: [{ name: "New or important", rules: example }] },
);
export const SegmentPatch = Strict(
  { name: Type.Optional(Name), list_id: ListId, rules: Type.Optional(Rules) },
  { title: "SegmentPatch", examples: [{ name: "New and important" }] },
);
export const SegmentQuery = PageQuery({
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "In the name, in any case." })),
});

export const SegmentPreviewInput = Strict(
  {
    list_id: ListId,
    rules: Rules,
    include_steps: Type.Boolean({
      default: false,
      description: "Also count after each rule of the outermost group, in their order.",
    }),
  },
  { title: "SegmentPreviewInput", examples: [{ rules: example, include_steps: true }] },
);
const Count = (description: string) => Nullable(Type.Integer({ description }));
const SegmentSteps = Type.Object(
  {
    from: Count("How many there are before any rule: on the list, or on all lists together."),
    rules: Type.Array(
      Type.Object({
        pointer: Type.String({ description: "Which rule it is.", examples: ["/rules/all/0"] }),
        count: Count(
          "In `all`, how many are left after this rule and those before it; in `any`, how many match this one or one before it.",
        ),
        alone: Count("In `any`, how many match this rule, whatever the others say. In `all` it is null."),
      }),
      { description: "A `not` around the group belongs to its rules. A single condition is the only step." },
    ),
  },
  { title: "SegmentSteps" },
);
export const SegmentPreview = Type.Object(
  {
    object: Type.Literal("segment_preview"),
    count: Count("How many subscribers match now. Null where counting took too long."),
    sentence: Type.String(),
    names: Names,
    sample: Nullable(
      Type.Array(Subscriber, {
        description: "The newest ten of them. Null where finding them took too long.",
      }),
    ),
    steps: Nullable(SegmentSteps),
  },
  { title: "SegmentPreview" },
);
