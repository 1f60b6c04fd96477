import { type Static, Type } from "typebox";
import { PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { Email } from "../users/schema.ts";

export const EmailChange = Type.Object(
  {
    object: Type.Literal("email_change"),
    id: PublicId("emc"),
    email: Type.String({ description: "The new address, as it was typed.", examples: ["jane@example.com"] }),
    expires_at: Timestamp,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "EmailChange", description: "The same whether or not the address is somebody else's." },
);
export type EmailChange = Static<typeof EmailChange>;

export const EmailChangeList = Type.Object(
  {
    object: Type.Literal("list"),
    data: Type.Array(EmailChange, { maxItems: 1 }),
    has_more: Type.Literal(false),
  },
  { title: "EmailChangeList" },
);

export const EmailChangeCreate = Strict(
  { email: Email },
  { title: "EmailChangeCreate", examples: [{ email: "jane@example.com" }] },
);

export const EmailChangeRedemption = Strict(
  {
    token: Type.String({ minLength: 1, maxLength: 100, description: "What stands after the # of the link." }),
  },
  { title: "EmailChangeRedemption", examples: [{ token: "pre_…" }] },
);
