import { type Static, Type } from "typebox";
import {
  BodyId,
  Nullable,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
  Words,
} from "../../platform/http/schemas.ts";
import { Amount, Currency } from "../plans/schema.ts";

const mails = Type.Integer({ minimum: 1, maximum: 1_000_000_000, examples: [10_000] });

export const Credit = Type.Object(
  {
    object: Type.Literal("credit"),
    id: PublicId("crd"),
    amount: Nullable(
      Amount("Negative where it takes another credit back; null for a credit of mails.", "20.00"),
    ),
    currency: Nullable(Currency),
    mails: Nullable(Type.Integer({ description: "Negative where it takes another credit back." })),
    reason: Type.String(),
    reverses: Nullable(PublicId("crd", "The credit that it takes back.")),
    by: Type.String({ description: "The id of the operator, or of the key of the instance." }),
    created_at: Timestamp,
    updated_at: Type.String({ ...Timestamp, description: "Always `created_at`: a credit is never changed." }),
  },
  { title: "Credit" },
);
export type Credit = Static<typeof Credit>;
export const CreditPage = Page(Credit, "CreditPage");
export const CreditQuery = PageQuery({});

export const CreditCreate = Strict(
  {
    amount: Type.Optional(Amount("With `currency`.", "20.00")),
    currency: Type.Optional(Currency),
    mails: Type.Optional(mails),
    reverses: Type.Optional(BodyId("crd", "Takes back what this credit gave.")),
    reason: Words(500, "The campaign of 3 May was sent late"),
  },
  {
    title: "CreditCreate",
    examples: [{ mails: 10_000, reason: "The campaign of 3 May was sent late" }],
  },
);
export type CreditCreate = Static<typeof CreditCreate>;

export const CreditTotals = Type.Object(
  {
    mails: Type.Integer({ description: "Mails beyond those that the plan includes." }),
    amounts: Type.Array(
      Type.Object({ amount: Amount("All that is left of them together.", "20.00"), currency: Currency }),
    ),
  },
  {
    title: "CreditTotals",
    description: "What is left of what the account was given, by mails and by currency.",
  },
);
export type CreditTotals = Static<typeof CreditTotals>;
