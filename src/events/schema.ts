import { type Static, Type } from "typebox";
import { Nullable, Page, PageQuery, PublicId, Timestamp } from "../platform/http/schemas.ts";
import { EVENT_TYPES, type EventType } from "./types.ts";

const TypeName = Type.Unsafe<EventType>({ type: "string", enum: [...EVENT_TYPES] });

export const Event = Type.Object(
  {
    object: Type.Literal("event"),
    id: PublicId("evt"),
    type: TypeName,
    timestamp: Timestamp,
    account_id: PublicId("acc"),
    actor: Type.Object({
      kind: Type.Unsafe<"api_key" | "user" | "system">({
        type: "string",
        enum: ["api_key", "user", "system"],
      }),
      id: Nullable(
        Type.String({
          description:
            "The key's or the user's id; of the system, that of the automation whose step did it, else null.",
        }),
      ),
    }),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          "Ids of what it is about, each under its own name, such as `subscriber_id`. Never an address.",
      },
    ),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Event" },
);
export type Event = Static<typeof Event>;

export const EventPage = Page(Event, "EventPage");

export const EventQuery = PageQuery({
  type: Type.Optional(
    Type.Array(TypeName, { maxItems: EVENT_TYPES.length, description: "Only these; repeat it for several." }),
  ),
  sort: Type.Unsafe<"-created_at" | "created_at">({
    type: "string",
    enum: ["-created_at", "created_at"],
    default: "-created_at",
    description: "Newest first, or `created_at`: oldest first, for replay.",
  }),
});
