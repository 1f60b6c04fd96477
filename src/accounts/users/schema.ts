import { type Static, Type } from "typebox";
import { Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { ROLES, type Role } from "../scopes.ts";
import { UpdatedBy } from "../updated-by.ts";

/** `email.ts` checks the form of the address and answers `invalid_email`. */
const Email = Type.String({ minLength: 1, maxLength: 254, examples: ["jane@example.com"] });
const PersonName = Type.String({
  maxLength: 100,
  pattern: "^\\P{Cc}*$",
  "x-error-code": "invalid_character",
  "x-error-detail": "must be without control characters",
  examples: ["Jane Doe"],
});
const RoleName = Type.Unsafe<Role>({
  type: "string",
  enum: [...ROLES],
  description:
    "An owner may do everything. A member works with subscribers, suppressions and campaigns, and reads the account, its users, " +
    "events and transports; managing those and the API keys is the owner's.",
});
const NewPassword = Type.String({
  minLength: 10,
  maxLength: 200,
  description: "10 to 200 characters of any script, and not the e-mail address.",
  examples: ["correct horse battery staple"],
});
/** A present password, whatever the rules were when it was set: it is only compared. */
const Password = Type.String({ minLength: 1, maxLength: 1_000, examples: ["correct horse battery staple"] });
const LinkToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "What follows the # in the link.",
});
const LinkPurpose = Type.Unsafe<"setup" | "reset">({ type: "string", enum: ["setup", "reset"] });

const Mailed = Type.Boolean({
  description:
    "Whether an invitation was mailed as well, with a link of its own. Where the account has no server to send by it is in the sandbox, and this is false.",
});

const userFields = {
  object: Type.Literal("user"),
  id: PublicId("usr"),
  email: Email,
  name: PersonName,
  role: RoleName,
  status: Type.Unsafe<"invited" | "active">({
    type: "string",
    enum: ["invited", "active"],
    description: "Invited until a password is set.",
  }),
  notices: Type.Boolean({
    description:
      "Whether an owner is told by mail when a campaign was paused or has failed. Notices about security are sent in any case.",
  }),
  last_signed_in_at: Nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: UpdatedBy,
};
export const User = Type.Object(userFields, { title: "User" });
export type User = Static<typeof User>;

export const NewUser = Type.Object(
  {
    ...userFields,
    setup_link: Nullable(
      Type.String({
        description: "Sets the password; good once, for 7 days. Shown this once, null in a replay.",
      }),
    ),
    mailed: Mailed,
  },
  { title: "NewUser" },
);

export const UserCreate = Strict(
  { email: Email, name: Type.Optional(PersonName), role: Type.Optional(RoleName) },
  { title: "UserCreate", examples: [{ email: "jane@example.com", name: "Jane Doe", role: "member" }] },
);

export const UserPatch = Strict(
  {
    name: Type.Optional(PersonName),
    role: Type.Optional(RoleName),
    notices: Type.Optional(Type.Boolean()),
  },
  { title: "UserPatch", examples: [{ name: "Jane Roe" }] },
);

export const UserPage = Page(User, "UserPage");

const linkFields = {
  object: Type.Literal("password_link"),
  id: PublicId("lnk"),
  user_id: Nullable(PublicId("usr")),
  email: Nullable(
    Type.String({ description: "Of that user; null for the link that makes the account's first owner." }),
  ),
  purpose: LinkPurpose,
  url: Nullable(Type.String({ description: "The link. Shown when it is made, and null after that." })),
  expires_at: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const PasswordLink = Type.Object(linkFields, { title: "PasswordLink" });
/** The link, and whether the user was mailed one as well. */
export const MadePasswordLink = Type.Object({ ...linkFields, mailed: Mailed }, { title: "MadePasswordLink" });
export type PasswordLink = Static<typeof PasswordLink>;

export const Session = Type.Object(
  {
    object: Type.Literal("session"),
    id: PublicId("ses"),
    account_id: PublicId("acc"),
    user: User,
    expires_at: Type.String({
      format: "date-time",
      description: "14 days after its last use, and 90 after it began at the latest.",
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "Session" },
);
export type Session = Static<typeof Session>;

export const SessionCreate = Strict(
  { email: Email, password: Password },
  {
    title: "SessionCreate",
    examples: [{ email: "jane@example.com", password: "correct horse battery staple" }],
  },
);

export const PasswordResetCreate = Strict(
  { email: Email },
  { title: "PasswordResetCreate", examples: [{ email: "jane@example.com" }] },
);

export const PasswordReset = Type.Object(
  { object: Type.Literal("password_reset") },
  { title: "PasswordReset", description: "The same for every address." },
);

export const PasswordChange = Strict(
  { current_password: Password, new_password: NewPassword },
  {
    title: "PasswordChange",
    examples: [
      { current_password: "correct horse battery staple", new_password: "sturdy mule charger clip" },
    ],
  },
);

export const LinkInspection = Strict(
  { token: LinkToken },
  { title: "LinkInspection", examples: [{ token: "prl_…" }] },
);

export const LinkRedemption = Strict(
  {
    token: LinkToken,
    password: NewPassword,
    email: Type.Optional(Email),
    name: Type.Optional(PersonName),
  },
  {
    title: "LinkRedemption",
    examples: [{ token: "prl_…", password: "correct horse battery staple", email: "jane@example.com" }],
  },
);
