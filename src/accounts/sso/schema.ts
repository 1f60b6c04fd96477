import { type Static, Type } from "typebox";
import { Nullable, Page, PublicId, Strict, Timestamp } from "../../platform/http/schemas.ts";
import { Email, RoleName } from "../users/schema.ts";

export const SignInMethods = Type.Object(
  {
    object: Type.Literal("sign_in_methods"),
    password: Type.Boolean({
      description:
        "Whether people sign in with a password or a passkey. Where they don't, they come by single sign-on alone.",
    }),
    single_sign_on: Nullable(
      Type.Object(
        { name: Type.String({ description: "What the provider is called.", examples: ["Fernhill login"] }) },
        { description: "Null where the service has none." },
      ),
    ),
    sign_up: Type.Unsafe<"closed" | "invite" | "open">({
      type: "string",
      enum: ["closed", "invite", "open"],
      description:
        "`open`: anybody opens an account by `/v1/sign_ups`. Else accounts are opened by the operator, and people are invited to them; with `invite` the sign-in page says so.",
    }),
  },
  { title: "SignInMethods" },
);

export const SsoStart = Strict(
  {
    invitation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "What follows the # in the link of an invitation that is accepted by it.",
      }),
    ),
    again: Type.Optional(
      Type.Boolean({
        description:
          "Asks the provider to have the person prove once more who they are, as for a confirmation.",
      }),
    ),
  },
  { title: "SsoStart", examples: [{}] },
);

export const SsoStarted = Type.Object(
  {
    object: Type.Literal("sso_start"),
    authorization_url: Type.String({
      description: "Where the browser goes next. The provider leads back to `/sign-in/sso` of the dashboard.",
    }),
    expires_at: Timestamp,
  },
  { title: "SsoStarted" },
);

const Parameter = (description: string) => Type.Optional(Type.String({ maxLength: 4_000, description }));

export const SsoAnswer = Strict(
  {
    state: Type.String({ minLength: 1, maxLength: 200, description: "As the provider gave it back." }),
    code: Parameter("The provider's code."),
    iss: Parameter("Who the provider says it is (RFC 9207)."),
    error: Parameter("What the provider says went wrong, in place of a code."),
  },
  { title: "SsoAnswer", examples: [{ state: "abc", code: "def" }] },
);

export const SingleSignOn = Type.Object(
  {
    object: Type.Literal("single_sign_on"),
    is_configured: Type.Boolean({ description: "Whether `OIDC_ISSUER` is set." }),
    name: Nullable(Type.String()),
    issuer: Nullable(Type.String()),
    redirect_url: Type.String({ description: "What the provider must know as the address to lead back to." }),
    password_sign_in: Type.Boolean({ description: "False where `PASSWORD_SIGN_IN` is off." }),
    groups_claim: Type.String(),
    groups: Type.Array(
      Type.Object({
        group: Type.String({ description: "As the provider writes it." }),
        role: RoleName,
      }),
      { description: "Which groups of the provider are which role of this account, by `OIDC_GROUPS`." },
    ),
  },
  { title: "SingleSignOn" },
);
export type SingleSignOn = Static<typeof SingleSignOn>;

const SsoUser = Type.Object(
  {
    object: Type.Literal("sso_user"),
    id: PublicId("usr"),
    email: Email,
    provider_email: Nullable(Type.String({ description: "The address that the provider named last." })),
    role: RoleName,
    by_groups: Type.Boolean({
      description: "Whether the provider's groups made the membership. They also end it.",
    }),
    last_signed_in_at: Type.String({ format: "date-time", description: "By single sign-on." }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "SsoUser" },
);
export type SsoUser = Static<typeof SsoUser>;
export const SsoUserPage = Page(SsoUser, "SsoUserPage");
