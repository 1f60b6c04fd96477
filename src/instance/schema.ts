import { type Static, Type } from "typebox";
import { HOLD_KINDS, type HoldKind } from "../accounts/accounts.ts";
import { limitFields } from "../accounts/schema.ts";
import {
  Name,
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
  Words,
} from "../platform/http/schemas.ts";

const STATES = ["active", ...HOLD_KINDS] as const;

export const InstanceSummary = Type.Object(
  {
    object: Type.Literal("instance_summary"),
    version: Type.String(),
    accounts: Type.Object({
      total: Type.Integer(),
      suspended: Type.Integer(),
      deletion: Type.Integer(),
      standing: Type.Integer(),
    }),
    people: Type.Integer(),
    operators: Type.Integer(),
  },
  { title: "InstanceSummary" },
);

export const InstanceAccount = Type.Object(
  {
    object: Type.Literal("instance_account"),
    id: PublicId("acc"),
    name: Type.String(),
    state: oneOf(STATES, {
      description:
        "`active`, or what it is held for; the operator's own word comes first where it is held for several things.",
    }),
    holds: Type.Array(
      Type.Object({
        kind: Type.Unsafe<HoldKind>({ type: "string", enum: [...HOLD_KINDS] }),
        since: Timestamp,
        reason: Nullable(Type.String()),
      }),
    ),
    debt: Nullable({
      ...Type.Object({ past_due_since: Timestamp, grace_until: Nullable(Timestamp) }),
      description:
        "What the account owes at Stripe since when, and until when nothing is stopped for it; null where it owes nothing.",
    }),
    users: Type.Integer({ description: "People who have joined." }),
    subscribers: Type.Integer({ description: "On all its lists together, whatever their status." }),
    mails_30_days: Type.Integer({
      description:
        "Mails that were taken by a server: of campaigns that were launched within 30 days, and of programs.",
    }),
    ...limitFields,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: "InstanceAccount" },
);
export type InstanceAccount = Static<typeof InstanceAccount>;

export const InstanceAccountPage = Page(InstanceAccount, "InstanceAccountPage");

export const InstanceAccountQuery = PageQuery({
  state: Type.Optional(oneOf(STATES)),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description: "Part of the name, or the whole id (`acc_…`).",
    }),
  ),
});

export const AccountParams = Strict({ id: PublicId("acc") });

export const InstanceAccountCreate = Strict(
  {
    name: Name(100, "Acme Ltd"),
    owner_email: Type.String({ minLength: 1, maxLength: 254, examples: ["jane@example.com"] }),
    owner_name: Type.Optional(Name(100, "Jane Doe")),
  },
  {
    title: "InstanceAccountCreate",
    examples: [{ name: "Acme Ltd", owner_email: "jane@example.com", owner_name: "Jane Doe" }],
  },
);

export const InstanceAccountPatch = Strict(
  {
    name: Type.Optional(Name(100, "Acme Ltd")),
    daily_mail_limit: Type.Optional(limitFields.daily_mail_limit),
    subscriber_limit: Type.Optional(limitFields.subscriber_limit),
  },
  { title: "InstanceAccountPatch", examples: [{ daily_mail_limit: 10_000, subscriber_limit: 50_000 }] },
);

export const NewInstanceAccount = Type.Object(
  {
    ...InstanceAccount.properties,
    owner_link: Nullable(
      Type.String({
        description:
          "By which the owner joins; good once, for 7 days. Shown this once, and null in a replay.",
      }),
    ),
  },
  { title: "NewInstanceAccount" },
);

export const Suspension = Strict(
  { reason: Words(500, "Unpaid since May") },
  { title: "Suspension", examples: [{ reason: "Unpaid since May" }] },
);

export const Grace = Strict(
  {
    until: Nullable({
      ...Timestamp,
      description: "In the future, and within 90 days. Null takes the grace back.",
    }),
    reason: Words(500, "Their bank transfer is on its way"),
  },
  {
    title: "PaymentGrace",
    examples: [{ until: "2027-03-01T00:00:00.000Z", reason: "Their bank transfer is on its way" }],
  },
);

export const Release = Strict(
  { reason: Words(500, "They removed the bought list") },
  { title: "Release", examples: [{ reason: "They removed the bought list" }] },
);

export const LookIn = Strict(
  {
    reason: Words(500, "They asked why a campaign stands still"),
    minutes: Type.Optional(
      Type.Integer({ minimum: 5, maximum: 60, default: 60, description: "When it ends by itself." }),
    ),
  },
  { title: "LookIn", examples: [{ reason: "They asked why a campaign stands still", minutes: 30 }] },
);
