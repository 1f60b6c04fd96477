import { type Static, Type } from "typebox";
import {
  BodyId,
  Nullable,
  oneOf,
  Page,
  PublicId,
  Strict,
  Timestamp,
  TimeZone,
} from "../platform/http/schemas.ts";
import { HELD_MAIL, type HeldMail, HOLD_KINDS, type HoldKind } from "./holds/holds.ts";
import { SCOPES, type Scope } from "./scopes.ts";
import {
  BlocksStyle,
  BounceLimits,
  BounceLimitsPatch,
  Guardrails,
  GuardrailsPatch,
} from "./settings/schema.ts";
import {
  CHECKLIST_STEPS,
  type ChecklistStep,
  TRACKING_MODES,
  type TrackingMode,
} from "./settings/settings.ts";
import { FEATURES } from "./standing/standing.ts";
import { UpdatedBy } from "./updated-by-schema.ts";

export { BlocksStyle, type FONTS } from "./settings/schema.ts";
export { Visit } from "./visits/schema.ts";

const Name = Type.String({ minLength: 1, maxLength: 100, format: "one-line", examples: ["Acme Ltd"] });

/**
 * A sender's name has no control characters, no line breaks, and nothing that turns the reading direction, which
 * would show another name than it is.
 */
const SenderName = Type.String({
  maxLength: 200,
  pattern: "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]+$",
  "x-error-detail": "must be one line that isn't blank, without control characters; null clears it",
  examples: ["Ada from Acme"],
});

/** The sender's fields, which accounts, lists and campaigns share. */
export const senderFields = {
  from_name: Nullable(SenderName),
  from_email: Nullable(Type.String({ maxLength: 1_000, examples: ["news@example.com"] })),
  reply_to: Nullable(Type.String({ maxLength: 1_000, examples: ["hello@example.com"] })),
  postal_address: Nullable(Type.String({ maxLength: 1_000, examples: ["1 High Street, London N1 1AA, UK"] })),
};

const MODES =
  "`individual`: opens and clicks are recorded for each recipient. `consented`: only for those whose `tracking_consent` is " +
  "true, the others as in `aggregate`. `aggregate`: they are counted without saying whose they are. `off`: there is no pixel, " +
  "and links are the author's own. It holds for campaigns launched from then on.";

function trackingOf(isNull: string) {
  return Type.Unsafe<TrackingMode | null>({
    type: ["string", "null"],
    enum: [...TRACKING_MODES, null],
    description: `${MODES} ${isNull}`,
  });
}

const AccountTracking = trackingOf("null: nobody has chosen yet, and it is as `individual`.");
export const ListTracking = trackingOf("null: as the account says.");
const Locale = Nullable(
  Type.String({
    maxLength: 35,
    description:
      "The language of the public pages, as a BCP 47 tag, for visitors whose own languages aren't there. null: English.",
    examples: ["de"],
  }),
);
const HoneypotLink = Type.Boolean({
  description:
    "Whether mail of campaigns whose clicks are counted carries a link that no person can see: whoever follows it is a machine. Off by default, because spam filters dislike hidden links.",
});
const RequireTwoFactor = Type.Boolean({
  description:
    "Whether people need a second factor here: without one they sign in, and get 403 `two_factor_required` from whatever is about this account. " +
    "API keys go on. Changed by people alone, after a confirmation; switched on by somebody who has a factor.",
});
const colour = Nullable(
  Type.String({
    pattern: "^#[0-9A-Fa-f]{6}$",
    "x-error-detail": "must be a colour such as #1f3a5f; null clears it",
    description:
      "Buttons and marks of the public pages are made of it, adjusted until they can be read in both themes.",
    examples: ["#1f3a5f"],
  }),
);
const LOGO = "An image of `/v1/files`, which the public pages show in place of the account's name.";
const Branding = Type.Object(
  { colour, logo_file_id: Nullable(PublicId("fil", LOGO)) },
  { description: "How the public pages look." },
);

const ChecklistParts = {
  dismissed: Type.Boolean({ description: "Put away for good." }),
  skipped: Type.Array(Type.Unsafe<ChecklistStep>({ type: "string", enum: [...CHECKLIST_STEPS] }), {
    uniqueItems: true,
    maxItems: CHECKLIST_STEPS.length,
    description: "Steps that somebody decided to leave out.",
  }),
};
const Checklist = Type.Object(ChecklistParts, {
  description:
    "What the dashboard keeps of its checklist of the first days. Which steps are done, it sees by itself.",
});

const Holds = Type.Array(
  Type.Object({
    kind: Type.Unsafe<HoldKind>({ type: "string", enum: [...HOLD_KINDS] }),
    stops: Type.Unsafe<HeldMail>({
      type: "string",
      enum: [...HELD_MAIL],
      description: "Whether all mail waits, or campaigns and automations alone.",
    }),
    since: Timestamp,
    reason: Nullable(Type.String({ description: "What the people of the account are told." })),
  }),
  {
    description:
      "What keeps the account from sending; empty where nothing does. `suspended`: by the operator of this service, and " +
      "`deletion`: by its owner; both refuse changes with 403, too. `standing`: its mail bounced or was complained about too " +
      "often. `payment_overdue`: what it owes wasn't paid (`payment` of `GET /v1/billing`). What was under way goes on by itself after it.",
  },
);

/** What operators allow an account, in its own answer and in theirs. */
export const limitFields = {
  daily_mail_limit: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        "How many mails a day (UTC) the operator of this service allows at most; the lower one counts where the account is also limited because " +
        "it is new. What is left over goes on the next day. It counts from when it is set. null: no limit.",
    }),
  ),
  subscriber_limit: Nullable(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        "How many subscribers the operator allows on all lists together, whatever their status. Beyond it nobody is added; who is there stays. null: no limit.",
    }),
  ),
};

const planLimits = Type.Object(
  {
    contacts: Nullable(
      Type.Integer({
        description:
          "How many subscribers it allows on all lists together; the lower one counts beside `subscriber_limit`. Who signs up by a form is taken " +
          "beyond it. null: no limit.",
      }),
    ),
    members: Nullable(
      Type.Integer({
        description: "How many people may belong to the account, with those invited. null: no limit.",
      }),
    ),
    features: Nullable(
      Type.Array(oneOf(FEATURES), { description: "What may be made and started. null: everything." }),
    ),
  },
  { description: "What the account's plan allows beside mails." },
);

export const Account = Type.Object(
  {
    object: Type.Literal("account"),
    id: PublicId("acc"),
    name: Name,
    time_zone: TimeZone,
    locale: Locale,
    ...senderFields,
    tracking: AccountTracking,
    honeypot_link: HoneypotLink,
    require_two_factor: RequireTwoFactor,
    branding: Branding,
    blocks_style: Nullable(BlocksStyle),
    guardrails: Guardrails,
    bounces: BounceLimits,
    holds: Holds,
    ...limitFields,
    plan_limits: planLimits,
    checklist: Checklist,
    created_at: Timestamp,
    updated_at: Timestamp,
    updated_by: UpdatedBy,
  },
  { title: "Account" },
);
export type Account = Static<typeof Account>;

export const AccountPatch = Strict(
  {
    name: Type.Optional(Name),
    time_zone: Type.Optional(TimeZone),
    locale: Type.Optional(Locale),
    from_name: Type.Optional(senderFields.from_name),
    from_email: Type.Optional(senderFields.from_email),
    reply_to: Type.Optional(senderFields.reply_to),
    postal_address: Type.Optional(senderFields.postal_address),
    tracking: Type.Optional(AccountTracking),
    honeypot_link: Type.Optional(HoneypotLink),
    require_two_factor: Type.Optional(RequireTwoFactor),
    branding: Type.Optional(
      Nullable(
        Strict({
          colour: Type.Optional(colour),
          logo_file_id: Type.Optional(Nullable(BodyId("fil", LOGO))),
        }),
      ),
    ),
    blocks_style: Type.Optional(Nullable(BlocksStyle)),
    guardrails: Type.Optional(GuardrailsPatch),
    bounces: Type.Optional(BounceLimitsPatch),
    checklist: Type.Optional(
      Strict({
        dismissed: Type.Optional(ChecklistParts.dismissed),
        skipped: Type.Optional(ChecklistParts.skipped),
      }),
    ),
  },
  {
    title: "AccountPatch",
    examples: [
      {
        name: "Acme Ltd",
        time_zone: "Europe/London",
        from_name: "Acme",
        from_email: "news@example.com",
        postal_address: "1 High Street, London N1 1AA, UK",
      },
    ],
  },
);

export type AccountPatch = Static<typeof AccountPatch>;

const ScopeList = Type.Array(Type.Unsafe<Scope>({ type: "string", enum: [...SCOPES] }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  examples: [["account:read"]],
});
const KeyScopes = Type.Unsafe<Scope[]>({
  ...ScopeList,
  description:
    "What it was given. It may do no more than whoever made or rotated it last may do by now, and ends when they leave the account.",
});
const KeyName = Type.String({ minLength: 1, maxLength: 100, format: "one-line", examples: ["Website"] });
const Expiry = Nullable(
  Type.String({ format: "date-time", description: "When the key stops working; null is never." }),
);

const Networks = Type.Array(Type.String({ maxLength: 50 }), {
  maxItems: 50,
  description:
    "The networks that the key may be used from, such as `203.0.113.0/24`; an empty list is everywhere. Behind a proxy, set `TRUST_PROXY`.",
  examples: [["203.0.113.0/24", "2001:db8::/32"]],
});

const apiKeyFields = {
  object: Type.Literal("api_key"),
  id: PublicId("key"),
  name: KeyName,
  scopes: KeyScopes,
  hint: Type.String({ description: "The last four characters.", examples: ["x7Qd"] }),
  unlimited: Type.Boolean({ description: "Free of the rate limit; set on the command line only." }),
  last_used_at: Nullable(Timestamp),
  expires_at: Nullable(Timestamp),
  allowed_networks: Networks,
  previous_until: Nullable(
    Type.String({
      format: "date-time",
      description: "Until when the key before the last rotation works; null where there is none.",
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  updated_by: UpdatedBy,
};
export const ApiKey = Type.Object(apiKeyFields, { title: "ApiKey" });
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  {
    ...apiKeyFields,
    key: Nullable(Type.String({ description: "The key itself. Shown this once, and null in a replay." })),
  },
  { title: "NewApiKey" },
);

export const ApiKeyCreate = Strict(
  {
    name: KeyName,
    scopes: ScopeList,
    expires_at: Type.Optional(Expiry),
    allowed_networks: Type.Optional(Networks),
  },
  { title: "ApiKeyCreate", examples: [{ name: "Website", scopes: ["account:read"] }] },
);

export const ApiKeyPatch = Strict(
  {
    name: Type.Optional(KeyName),
    expires_at: Type.Optional(Expiry),
    allowed_networks: Type.Optional(Networks),
  },
  { title: "ApiKeyPatch", examples: [{ name: "Website (old)" }] },
);

export const ApiKeyRotation = Strict(
  {
    grace_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 168,
        default: 24,
        description: "How long the key before works; 0 ends it at once.",
      }),
    ),
  },
  { title: "ApiKeyRotation", examples: [{ grace_hours: 24 }] },
);

export const ApiKeyPage = Page(ApiKey, "ApiKeyPage");
