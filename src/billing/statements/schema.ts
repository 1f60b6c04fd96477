/** Describes statements as clients get them. */
import { type Static, Type } from "typebox";
import {
  Nullable,
  oneOf,
  Page,
  PageQuery,
  PublicId,
  Strict,
  Timestamp,
} from "../../platform/http/schemas.ts";
import { Amount, Currency } from "../plans/schema.ts";

const STATES = ["open", "closed"] as const;

const Line = Type.Object(
  {
    kind: oneOf(["base", "mails", "late", "credit", "tax"], {
      description:
        "`base` is the price of the period; `mails` what was sent in it, by the kind of mail; `late` what was sent in an earlier period and is known " +
        "only since its statement was closed, at the price that it had there; `credit` what credits paid; `tax` what is added.",
    }),
    amount: Amount("Negative for a credit."),
    stream: Type.Optional(oneOf(["campaign", "automation", "transactional"])),
    mails: Type.Optional(Type.Integer()),
    included: Type.Optional(Type.Integer({ description: "How many of the mails the plan includes." })),
    credited: Type.Optional(Type.Integer({ description: "How many credits of mails paid for." })),
    charged: Type.Optional(Type.Integer({ description: "How many are charged." })),
    statement_id: Type.Optional(
      PublicId("sta", "The statement of the period in which late mails were sent."),
    ),
    label: Type.Optional(Type.String({ description: "What the tax is called." })),
    rate: Type.Optional(Type.String({ description: "The rate of the tax in percent." })),
  },
  { title: "StatementLine" },
);

export const Statement = Type.Object(
  {
    object: Type.Literal("statement"),
    id: PublicId("sta"),
    state: oneOf(STATES, {
      description:
        "A statement is open until some time after its period's end, and reckoned whenever it is asked for; what is closed never changes.",
    }),
    period: Type.Object({
      from: Timestamp,
      to: Type.String({ ...Timestamp, description: "The first moment of the next period." }),
    }),
    is_trial: Type.Boolean(),
    plan_name: Type.String(),
    currency: Currency,
    mails: Type.Integer({ description: "All mails of it. The proof says of what they were." }),
    lines: Type.Array(Line),
    subtotal: Amount("Before credits and tax."),
    overage: Amount("What mails beyond those included cost, less credits, before tax.", "0.95"),
    tax: Amount("What tax adds.", "5.51"),
    total: Amount("What is to be paid.", "34.51"),
    closed_at: Nullable(Timestamp),
  },
  { title: "Statement" },
);
export type Statement = Static<typeof Statement>;
export const StatementPage = Page(Statement, "StatementPage");
export const StatementParams = Strict({ id: PublicId("sta") });
export const StatementQuery = PageQuery({ state: Type.Optional(oneOf(STATES)) });
export const InstanceStatementParams = Strict({ id: PublicId("acc") });

const ProofSource = Type.Object(
  {
    object: Type.Literal("statement_source"),
    kind: oneOf(["campaign", "automation", "transactional", "unattributed"], {
      description:
        "`unattributed` is what was counted while it was sent, and wasn't in the ledger any more when the period was closed.",
    }),
    stream: oneOf(["campaign", "automation", "transactional"]),
    id: Nullable(Type.String({ description: "The id of the campaign or of the automation." })),
    name: Nullable(Type.String()),
    accepted: Type.Integer({ description: "How many of its mails servers accepted in the period." }),
    sent_in_all: Nullable(
      Type.Integer({ description: "How many of its mails were accepted at any time, as in its stats." }),
    ),
    late_of: Nullable(
      PublicId("sta", "The statement of the period in which these were sent, where that is an earlier one."),
    ),
  },
  { title: "StatementSource" },
);
export type ProofSource = Static<typeof ProofSource>;

export const StatementProof = Type.Object(
  {
    object: Type.Literal("statement_proof"),
    statement_id: PublicId("sta"),
    mails: Type.Integer({ description: "The statement's mails: what all sources, on all pages, add up to." }),
    sources: Type.Array(ProofSource),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Type.String()),
    total: Type.Optional(Type.Integer()),
  },
  { title: "StatementProof" },
);
export const ProofQuery = PageQuery({});
