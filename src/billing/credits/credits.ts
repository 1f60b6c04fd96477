/** Credits are what operators give an account: an amount, or mails. They are never changed; a mistake is taken back by another credit. */
import type { TxCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import { fromPublicId, newId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid } from "../../platform/problems.ts";
import { lockPayer } from "../account-store.ts";
import { applyLimits } from "../limits/limits.ts";
import { decimalsOf, readAmount, writeAmount } from "../money.ts";
import { creditReversed, creditSpent } from "../problems.ts";
import { type CreditRow, findCredit, insertCredit, isReversed, sumCredits } from "./credit-store.ts";
import type { Credit, CreditCreate, CreditTotals } from "./schema.ts";

export { sumCredits } from "./credit-store.ts";

type Given = Pick<CreditRow, "amount" | "currency" | "mails" | "reverses">;

/** Says what periods without a statement use of the credits: of mails under null, and of amounts by their currency. */
export type ReadUsed = (ctx: TxCtx, currency: string | null) => Promise<number>;

export async function giveCredit(
  ctx: TxCtx,
  { operatorId, readUsed }: { readonly operatorId: string; readonly readUsed: ReadUsed },
  input: CreditCreate,
): Promise<CreditRow> {
  await lockPayer(ctx.sql, ctx.accountId);
  const given = await readGiven(ctx, readUsed, input);
  const row = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    ...given,
    reason: input.reason,
    operator_id: operatorId,
    created_at: ctx.clock.now(),
  };
  try {
    await insertCredit(ctx.sql, row);
  } catch (error) {
    if (!isUniqueViolation(error, "billing_credits_reversed")) throw error;
    throw new AppError(creditReversed, "it was reversed already");
  }
  if (row.mails !== null) await applyLimits(ctx);
  return row;
}

async function readGiven(ctx: TxCtx, readUsed: ReadUsed, input: CreditCreate): Promise<Given> {
  const { amount, currency, mails, reverses } = input;
  const kinds = [amount ?? currency, mails, reverses].filter((one) => one !== undefined);
  if (kinds.length !== 1) {
    const detail = "give one of these: `amount` with `currency`, `mails`, or `reverses`";
    throw invalid({ pointer: "", code: "one_of", detail });
  }
  if (reverses !== undefined) return oppositeOf(ctx, readUsed, reverses);
  if (mails !== undefined) return { amount: null, currency: null, mails, reverses: null };
  return { ...readMoney(amount, currency), mails: null, reverses: null };
}

function readMoney(amount: string | undefined, currency: string | undefined) {
  const faults: Fault[] = [];
  const fault = (pointer: string, code: string, detail: string) => faults.push({ pointer, code, detail });
  if (amount === undefined) fault("/amount", "required", "must be given with a currency");
  if (currency === undefined) fault("/currency", "required", "must be given with an amount");
  else if (decimalsOf(currency) === undefined)
    fault("/currency", "unknown_currency", "must be the code of a currency, such as EUR");
  if (faults.length > 0 || amount === undefined || currency === undefined) throw invalid(...faults);
  const read = readAmount(amount, currency);
  if (typeof read !== "number")
    throw invalid({ pointer: "/amount", code: "invalid_amount", detail: read.wrong });
  if (read === 0)
    throw invalid({ pointer: "/amount", code: "invalid_amount", detail: "must be more than nothing" });
  return { amount: read, currency };
}

async function oppositeOf(ctx: TxCtx, readUsed: ReadUsed, publicId: string): Promise<Given> {
  const { sql, accountId } = ctx;
  const id = fromPublicId("crd", publicId);
  const credit = id && (await findCredit(sql, accountId, id));
  if (!credit)
    throw invalid({
      pointer: "/reverses",
      code: "not_found",
      detail: "there is no such credit in the account",
    });
  if (credit.reverses) throw new AppError(creditReversed, "it is itself the reversal of another");
  const left = await sumCredits(sql, [accountId]);
  const total = left.find(({ currency }) => currency === credit.currency)?.total ?? 0;
  const unspent = total - (await readUsed(ctx, credit.currency));
  if (unspent < (credit.amount ?? credit.mails ?? 0)) await refuseSpent(sql, accountId, credit.id);
  return {
    amount: credit.amount === null ? null : -credit.amount,
    currency: credit.currency,
    mails: credit.mails === null ? null : -credit.mails,
    reverses: credit.id,
  };
}

/** What is spent can't be taken back. One that was taken back already is refused for that, whatever is left. */
async function refuseSpent(db: Queryable, accountId: string, id: string): Promise<never> {
  if (await isReversed(db, accountId, id)) throw new AppError(creditReversed, "it was reversed already");
  throw new AppError(
    creditSpent,
    "less is left of the account's credits than it gave, or less was unused so far",
  );
}

/** Shows what is left of an account's credits. */
export async function readCreditTotals(db: Queryable, accountId: string): Promise<CreditTotals> {
  const sums = await sumCredits(db, [accountId]);
  return {
    mails: sums.find(({ currency }) => currency === null)?.total ?? 0,
    amounts: sums.flatMap(({ currency, total }) =>
      currency === null ? [] : [{ amount: writeAmount(total, currency), currency }],
    ),
  };
}

export function shapeCredit(row: CreditRow): Credit {
  const { amount, currency } = row;
  return {
    object: "credit",
    id: toPublicId("crd", row.id),
    amount: amount === null || currency === null ? null : writeAmount(amount, currency),
    currency,
    mails: row.mails,
    reason: row.reason,
    reverses: row.reverses && toPublicId("crd", row.reverses),
    by: row.operator_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.created_at.toISOString(),
  };
}
