import { Type } from "typebox";
import { ListTracking, senderFields } from "../../accounts/schema.ts";
import { Page, PublicId, Strict, Timestamp, Words } from "../../platform/http/schemas.ts";
import { STATUSES, type Status } from "../status.ts";

const counts = Object.fromEntries(STATUSES.map((status) => [status, Type.Integer()])) as Record<
  Status,
  ReturnType<typeof Type.Integer>
>;
const ListName = Words(200, "Newsletter");
const IsPublic = Type.Boolean({
  description:
    "Its name may be shown to whoever holds a mail of another list, on the page that unsubscribes.",
});
const DoubleOptIn = Type.Boolean({ description: "New subscribers must confirm by mail." });

export const List = Type.Object(
  {
    object: Type.Literal("list"),
    id: PublicId("lst"),
    name: ListName,
    ...senderFields,
    double_opt_in: DoubleOptIn,
    public: IsPublic,
    tracking: ListTracking,
    counts: Type.Object({ ...counts, total: Type.Integer() }, { description: "Exact, by status." }),
    created_at: Timestamp,
    updated_at: Timestamp,
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
