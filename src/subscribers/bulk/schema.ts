import { type Static, Type } from "typebox";
import { BodyId, Nullable, oneOf, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { Tag } from "../fields/schema.ts";
import { HeldBackFilter } from "../schema.ts";
import { STATUSES } from "../status.ts";
import { BULK_STATUSES } from "./bulk-status.ts";

const Time = (description: string) => Type.Optional(Type.String({ format: "date-time", description }));

const BulkFilter = Strict(
  {
    list_id: Type.Optional(BodyId("lst", "Of this list only.")),
    status: Type.Optional(oneOf(STATUSES)),
    tag: Type.Optional(Type.Array(Tag, { maxItems: 10, description: "With all of these tags." })),
    segment_id: Type.Optional(BodyId("seg", "Of this segment only.")),
    created_after: Time("Made after this time."),
    created_before: Time("Made before this time."),
    updated_after: Time("Changed after this time."),
    updated_before: Time("Changed before this time."),
    held_back: Type.Optional(HeldBackFilter),
  },
  {
    title: "BulkFilter",
    description: "As in `GET /v1/subscribers`. Empty, it is everybody in the account.",
    examples: [{ status: "active" }],
  },
);
export type BulkFilter = Static<typeof BulkFilter>;

const ACTIONS = ["add_tags", "remove_tags", "set_field", "add_to_list", "unsubscribe", "delete"] as const;
const actionMembers = {
  tags: Type.Optional(Type.Array(Tag, { minItems: 1, maxItems: 20, description: "To add or to take off." })),
  field: Type.Optional(
    Type.String({
      maxLength: 100,
      description: "`first_name`, `last_name`, `locale`, `time_zone`, or `fields.<key>` of a custom field.",
      examples: ["fields.company"],
    }),
  ),
  value: Type.Optional(
    Type.Unsafe<string | number | boolean | null>({
      type: ["string", "number", "boolean", "null"],
      description: "What the field is to hold; null empties it.",
      examples: ["Acme"],
    }),
  ),
};

const BulkActionInput = Strict(
  {
    type: oneOf(ACTIONS, {
      description:
        "`add_tags` and `remove_tags` want `tags`; `set_field` wants `field` and `value`; `add_to_list` wants `list_id`.",
    }),
    ...actionMembers,
    list_id: Type.Optional(BodyId("lst", "The list to copy them to.")),
  },
  { title: "BulkAction", examples: [{ type: "unsubscribe" }] },
);
export type BulkActionInput = Static<typeof BulkActionInput>;

const MOST_NAMED = 1_000;

export const BulkChangeCreate = Strict(
  {
    filter: Type.Optional(BulkFilter),
    ids: Type.Optional(
      Type.Array(BodyId("sub"), {
        minItems: 1,
        maxItems: MOST_NAMED,
        description: "These subscribers, in place of a filter. Those that aren't there are skipped.",
      }),
    ),
    action: BulkActionInput,
  },
  {
    title: "BulkChangeCreate",
    examples: [{ filter: { status: "active" }, action: { type: "add_tags", tags: ["spring"] } }],
  },
);
export type BulkChangeCreate = Static<typeof BulkChangeCreate>;

const count = (description: string) => Type.Integer({ description });

const BulkActionShown = Type.Object(
  { type: oneOf(ACTIONS), ...actionMembers, list_id: Type.Optional(PublicId("lst")) },
  { title: "BulkActionShown" },
);
export type BulkActionShown = Static<typeof BulkActionShown>;

export const BulkChange = Type.Object(
  {
    object: Type.Literal("bulk_change"),
    id: PublicId("blk"),
    status: oneOf(BULK_STATUSES),
    filter: Nullable(BulkFilter),
    action: BulkActionShown,
    counts: Type.Object({
      total: Nullable(Type.Integer({ description: "Whom it is for; null until they are found." })),
      processed: count("changed + skipped + failed"),
      changed: count("Changed by it."),
      skipped: count("There was nothing to change, or they are gone."),
      failed: count("They can't have it: a tag too many, or a copy beyond `subscriber_limit`."),
      undone: count("Put back by an undo."),
    }),
    progress: Type.Object({
      percent: Type.Number(),
      per_second: Nullable(Type.Integer()),
      eta: Nullable(Type.String({ format: "date-time", description: "When it will be done at this rate." })),
    }),
    undo_until: Nullable(
      Type.String({
        format: "date-time",
        description: "Until then it can be undone; null where it can't.",
      }),
    ),
    error: Nullable(
      Type.Object({ code: Type.String(), detail: Type.String() }, { description: "Why it failed." }),
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
  },
  {
    title: "BulkChange",
    examples: [
      {
        object: "bulk_change",
        id: "blk_01k9zq4t3xe8k8y0v6d3m2n1pq",
        status: "completed",
        filter: { status: "active" },
        action: { type: "add_tags", tags: ["spring"] },
        counts: { total: 2, processed: 2, changed: 1, skipped: 1, failed: 0, undone: 0 },
        progress: { percent: 100, per_second: null, eta: null },
        undo_until: "2026-12-14T09:30:00.000Z",
        error: null,
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
        started_at: "2026-11-14T09:30:00.000Z",
        finished_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);
export type BulkChange = Static<typeof BulkChange>;
export const BulkChangePage = Page(BulkChange, "BulkChangePage");
