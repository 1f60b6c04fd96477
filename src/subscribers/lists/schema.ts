import { Type } from "typebox";
import { UpdatedBy } from "../../accounts/accounts.ts";
import { ListTracking, senderFields } from "../../accounts/schema.ts";
import { BodyId, Name, Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { STATUSES, type Status } from "../status.ts";

const counts = Object.fromEntries(STATUSES.map((status) => [status, Type.Integer()])) as Record<
  Status,
  ReturnType<typeof Type.Integer>
>;
const ListName = Name(200, "Newsletter");
const IsPublic = Type.Boolean({
  description:
    "Its name may be shown to whoever holds a mail of another list, on the page that unsubscribes.",
});
const ArchiveSlug = Nullable(
  Type.String({
    maxLength: 63,
    pattern: "^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$",
    "x-error-code": "invalid_slug",
    "x-error-detail": "must be 1 to 63 of a-z, 0-9 and -, with no - at either end; null closes the archive",
    description:
      "Opens a public archive of the list at `/archive/{slug}`, with the sent campaigns whose `archive` is true. Null is none.",
    examples: ["weekly-letter"],
  }),
);
const ArchiveIndexed = Type.Boolean({ description: "Search engines may list the archive." });
const DoubleOptIn = Type.Boolean({
  description: "New subscribers are `pending` until they confirm by the link that they are mailed.",
});
const WELCOME =
  "The template that is mailed once to whoever confirms, as it is published then. Null sends none. It may declare the variables " +
  "`email`, `first_name`, `last_name`, `list_name` and `unsubscribe_url`.";

export const List = Type.Object(
  {
    object: Type.Literal("list"),
    id: PublicId("lst"),
    name: ListName,
    ...senderFields,
    double_opt_in: DoubleOptIn,
    public: IsPublic,
    tracking: ListTracking,
    archive_slug: ArchiveSlug,
    archive_indexed: ArchiveIndexed,
    welcome_template_id: Nullable(PublicId("tpl", WELCOME)),
    sample: Type.Boolean({
      description:
        "It came with the sample data: its mail goes into the sandbox, whatever the account sends by.",
    }),
    counts: Type.Object({ ...counts, total: Type.Integer() }, { description: "Exact, by status." }),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  {
    title: "List",
    examples: [
      {
        object: "list",
        id: "lst_01k9zq4t3xe8k8y0v6d3m2n1pq",
        name: "Newsletter",
        from_name: "Ada from Acme",
        from_email: "news@example.com",
        reply_to: null,
        postal_address: "1 High Street, London N1 1AA, UK",
        double_opt_in: false,
        public: false,
        tracking: null,
        archive_slug: "weekly-letter",
        archive_indexed: false,
        welcome_template_id: null,
        sample: false,
        counts: { pending: 0, active: 120, unsubscribed: 4, bounced: 1, complained: 0, total: 125 },
        created_at: "2026-11-14T09:30:00.000Z",
        updated_at: "2026-11-14T09:30:00.000Z",
      },
    ],
  },
);

const optional = {
  from_name: Type.Optional(senderFields.from_name),
  from_email: Type.Optional(senderFields.from_email),
  reply_to: Type.Optional(senderFields.reply_to),
  postal_address: Type.Optional(senderFields.postal_address),
  double_opt_in: Type.Optional(DoubleOptIn),
  public: Type.Optional(IsPublic),
  tracking: Type.Optional(ListTracking),
  archive_slug: Type.Optional(ArchiveSlug),
  archive_indexed: Type.Optional(ArchiveIndexed),
  welcome_template_id: Type.Optional(Nullable(BodyId("tpl", WELCOME))),
};
export const ListCreate = Strict(
  { name: ListName, ...optional },
  { title: "ListCreate", examples: [{ name: "Newsletter", from_email: "news@example.com" }] },
);
export const ListPatch = Strict(
  { name: Type.Optional(ListName), ...optional },
  { title: "ListPatch", examples: [{ name: "Weekly newsletter" }] },
);
export const ListPage = Page(List, "ListPage");
