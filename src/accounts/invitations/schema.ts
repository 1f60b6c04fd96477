import { type Static, Type } from "typebox";
import { Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { UpdatedBy } from "../updated-by-schema.ts";
import { Email, PersonName, RoleName } from "../users/schema.ts";

const fields = {
  object: Type.Literal("invitation"),
  id: PublicId("inv"),
  email: Type.String({ description: "As it was typed.", examples: ["jane@example.com"] }),
  name: PersonName,
  role: RoleName,
  status: Type.Unsafe<"pending" | "expired">({
    type: "string",
    enum: ["pending", "expired"],
    description: "One that has expired can be sent again.",
  }),
  expires_at: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: UpdatedBy,
};
export const Invitation = Type.Object(fields, { title: "Invitation" });
export type Invitation = Static<typeof Invitation>;

export const SentInvitation = Type.Object(
  {
    ...fields,
    link: Nullable(
      Type.String({
        description:
          "Sets the password, or wants the one that the person has; good once. Shown this once, null in a replay. It is also null where the " +
          "instance has a server of its own (`SMTP_URL`): then nobody but the person gets it, and the address is proven by it.",
      }),
    ),
    mailed: Type.Boolean({
      description:
        "Whether the invitation is mailed. It is false where there is no server to send by, where the address is suppressed, and after 3 mails in an hour.",
    }),
  },
  { title: "SentInvitation" },
);

export const InvitationCreate = Strict(
  { email: Email, name: Type.Optional(PersonName), role: Type.Optional(RoleName) },
  {
    title: "InvitationCreate",
    examples: [{ email: "jane@example.com", name: "Jane Doe", role: "marketer" }],
  },
);

export const InvitationPage = Page(Invitation, "InvitationPage");
