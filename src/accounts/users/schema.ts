import { type Static, Type } from "typebox";
import { Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { describeRoles, ROLES, type Role } from "../roles.ts";
import { SCOPES, type Scope } from "../scopes.ts";
import { UpdatedBy } from "../updated-by-schema.ts";

/** `email.ts` checks the form of the address and answers `invalid_email`. */
export const Email = Type.String({ minLength: 1, maxLength: 254, examples: ["jane@example.com"] });
export const PersonName = Type.String({
  maxLength: 100,
  pattern: "^\\P{Cc}*$",
  "x-error-code": "invalid_character",
  "x-error-detail": "must be without control characters",
  examples: ["Jane Doe"],
});
export const RoleName = Type.Unsafe<Role>({
  type: "string",
  enum: [...ROLES],
  description: describeRoles(),
});
export const NewPassword = Type.String({
  minLength: 10,
  maxLength: 200,
  description: "10 to 200 characters of any script, and not the e-mail address.",
  examples: ["correct horse battery staple"],
});
/** A present password, whatever the rules were when it was set: it is only compared. */
export const Password = Type.String({
  minLength: 1,
  maxLength: 1_000,
  examples: ["correct horse battery staple"],
});
const LinkToken = Type.String({
  minLength: 1,
  maxLength: 200,
  description: "What follows the # in the link.",
});
const LinkPurpose = Type.Unsafe<"setup" | "reset" | "join">({
  type: "string",
  enum: ["setup", "reset", "join"],
  description:
    "`setup` sets the first password, `reset` another one. `join` is for somebody who is invited and has a password already: it wants that one, and sets none.",
});

export const User = Type.Object(
  {
    object: Type.Literal("user"),
    id: PublicId("usr"),
    email: Email,
    name: PersonName,
    role: RoleName,
    notices: Type.Boolean({
      description:
        "Whether an owner is told by mail when a campaign was paused or has failed. Notices about security are sent in any case.",
    }),
    visit_until: Nullable(
      Type.String({
        format: "date-time",
        description:
          "Until when an operator of the service looks in as a viewer; null for whoever belongs to the account. `/v1/visits` says why.",
      }),
    ),
    last_signed_in_at: Nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "User" },
);
export type User = Static<typeof User>;

export const UserPatch = Strict(
  {
    name: Type.Optional(PersonName),
    role: Type.Optional(RoleName),
    notices: Type.Optional(Type.Boolean()),
  },
  { title: "UserPatch", examples: [{ name: "Jane Roe" }] },
);

export const UserPage = Page(User, "UserPage");

export const PasswordLink = Type.Object(
  {
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
  },
  { title: "PasswordLink" },
);
export type PasswordLink = Static<typeof PasswordLink>;

export const FactorKind = Type.Unsafe<"totp" | "passkey">({
  type: "string",
  enum: ["totp", "passkey"],
  description: "`totp` is an authenticator app that makes codes.",
});

const Membership = Type.Object({
  account_id: PublicId("acc"),
  account_name: Type.String(),
  user_id: PublicId("usr", "Who the person is in this account."),
  role: RoleName,
  visit_until: Nullable(
    Type.String({
      format: "date-time",
      description: "Until when they look in as an operator; null where they belong to the account.",
    }),
  ),
  require_two_factor: Type.Boolean({
    description:
      "Whether the account wants a second factor: whoever has none gets nothing of it but 403 `two_factor_required`.",
  }),
});

export const Session = Type.Object(
  {
    object: Type.Literal("session"),
    id: PublicId("ses"),
    account_id: PublicId(
      "acc",
      "The account that the request names, else the one that the person joined first.",
    ),
    user: User,
    memberships: Type.Array(Membership, {
      description:
        "Every account that the person belongs to, those joined first before others. With several, a request says which it is about: " +
        "`Postrider-Account: acc_…`, or `?account=` on a GET.",
    }),
    scopes: Type.Array(Type.Unsafe<Scope>({ type: "string", enum: [...SCOPES] }), {
      description: "What the user's role may do in this account; `full` is everything.",
    }),
    is_operator: Type.Boolean({
      description: "Whether the person looks after the instance, at `/v1/instance/…`.",
    }),
    factors: Type.Array(FactorKind, { description: "The kinds of second factors that the person has." }),
    by_single_sign_on: Type.Boolean({
      description: "Whether single sign-on opened it, which counts as a second factor.",
    }),
    confirmed_until: Nullable(
      Type.String({
        format: "date-time",
        description:
          "Until when what needs a confirmation is done without one: 15 minutes after the person signed in or confirmed.",
      }),
    ),
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

export const PendingSignIn = Type.Object(
  {
    object: Type.Literal("pending_sign_in"),
    token: Type.String({
      description: "Goes to `/v1/session/second_factor`. Good once, for ten minutes, and for five attempts.",
    }),
    factors: Type.Array(FactorKind, {
      description: "What the person has. A recovery code is taken in the place of any of them.",
    }),
    expires_at: Timestamp,
  },
  { title: "PendingSignIn" },
);
export type PendingSignIn = Static<typeof PendingSignIn>;

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
    password: Type.String({
      minLength: 1,
      maxLength: 1_000,
      description:
        "A new one has 10 to 200 characters of any script, and isn't the e-mail address. A link whose `purpose` is `join` wants the present one.",
      examples: ["correct horse battery staple"],
    }),
    email: Type.Optional(Email),
    name: Type.Optional(PersonName),
  },
  {
    title: "LinkRedemption",
    examples: [{ token: "prl_…", password: "correct horse battery staple", email: "jane@example.com" }],
  },
);
