/**
 * The lines of a statement: what a period costs by the terms, for the mails of each stream. However the mails are split into lines, the lines of
 * the parts add up to the line of the whole, to the last mail and the last cent.
 */
import { share } from "./money.ts";

/** What is charged by. Amounts are in the currency's smallest unit. */
export type Charges = {
  readonly price: number;
  /** Null is no limit: then no mail is ever beyond it. */
  readonly included_mails: number | null;
  /** For each thousand mails beyond those that are included, by the mail. It counts only where sending doesn't stop at them. */
  readonly overage_per_1000: number | null;
  readonly at_limit: "stop" | "overage";
  /** The most that mails beyond those that are included may cost together; without it there is no such limit. */
  readonly spending_cap?: number | null;
};

export type Used = { readonly stream: string; readonly mails: number };

/** The rate is in millionths, so that 8.875 % is 88,750. */
export type Tax = { readonly label: string; readonly rate: number };

/** What is left of an account's credits when the period ends. */
export type Credits = { readonly amount: number; readonly mails: number };

/** Late lines are of earlier periods. Where the price is charged in full elsewhere, credits of money pay for mails alone. */
type More = { readonly late?: readonly LateLine[]; readonly isPricePaidElsewhere?: boolean };

type Mails = {
  readonly stream: string;
  readonly mails: number;
  /** How many of them the plan includes, how many a credit paid for, and how many are charged. */
  readonly included: number;
  readonly credited: number;
  readonly charged: number;
  readonly amount: number;
};

export type MailLine = Mails & { readonly kind: "mails" };

/** Mails of an earlier period, of which nobody knew when its statement was made. */
export type LateLine = Mails & {
  readonly kind: "late";
  readonly statement_id: string;
  readonly from: string;
  readonly to: string;
};

export type Line =
  | { readonly kind: "base"; readonly amount: number }
  | MailLine
  | LateLine
  /** Its amount is negative. */
  | { readonly kind: "credit"; readonly amount: number }
  | { readonly kind: "tax"; readonly label: string; readonly rate: number; readonly amount: number };

export type Bill = {
  readonly lines: readonly Line[];
  /** Before credits and tax. */
  readonly subtotal: number;
  readonly tax: number;
  readonly total: number;
  /** What the period takes from the credits. */
  readonly spent: Credits;
};

/**
 * Says what the mails of a period cost, line by line. Included mails are given to the lines in their order, then mails that were credited. An amount
 * is the difference of two rounded sums, with and without the line, so that rounding adds nothing and loses nothing.
 */
export function mailLines(charges: Charges, used: readonly Used[], creditedMails = 0): readonly MailLine[] {
  const included = charges.included_mails ?? Number.POSITIVE_INFINITY;
  // Where nothing is charged beyond what is included, a credit pays for nothing either.
  const perThousand = charges.at_limit === "overage" ? (charges.overage_per_1000 ?? 0) : 0;
  const cap = charges.spending_cap ?? Number.POSITIVE_INFINITY;
  const costOf = (charged: number) => Math.min(cap, share(perThousand, charged, 1_000));
  let before = 0;
  return used.map(({ stream, mails }) => {
    const after = before + mails;
    const between = (from: number, to: number) => Math.max(0, Math.min(after, to) - Math.max(before, from));
    const free = included + creditedMails;
    const chargedBefore = Math.max(0, before - free);
    const chargedAfter = Math.max(0, after - free);
    const line = {
      kind: "mails",
      stream,
      mails,
      included: between(0, included),
      credited: between(included, free),
      charged: chargedAfter - chargedBefore,
      amount: costOf(chargedAfter) - costOf(chargedBefore),
    } as const;
    before = after;
    return line;
  });
}

/** What a statement said of its own period's mails, and what later ones said of them since. */
export type Stated = {
  readonly charges: Charges;
  readonly mails: number;
  /** How many of them credits paid for. */
  readonly credited: number;
};

/**
 * Says what mails cost that come to light after their period's statement: as much as they would have cost in it, so that both together are what one
 * statement would have been. Credits of mails that are left now pay for them only where there was enough of them then.
 */
export function lateLines(stated: Stated, used: readonly Used[], creditedMails: number): readonly MailLine[] {
  const { charges, mails, credited } = stated;
  const wasEnough = mails <= (charges.included_mails ?? Number.POSITIVE_INFINITY) + credited;
  const before = { stream: "stated", mails };
  return mailLines(charges, [before, ...used], credited + (wasEnough ? creditedMails : 0)).slice(1);
}

/**
 * Writes the bill of a period. Credits are taken off before tax, and never more of them than there is to pay. Lines of earlier periods come after its
 * own, and took their credits of mails before.
 */
export function billOf(
  charges: Charges,
  used: readonly Used[],
  credits: Credits,
  tax: Tax | null,
  { late = [], isPricePaidElsewhere = false }: More = {},
): Bill {
  const creditedLate = late.reduce((sum, { credited }) => sum + credited, 0);
  const mails = [...mailLines(charges, used, credits.mails - creditedLate), ...late];
  const subtotal = mails.reduce((sum, { amount }) => sum + amount, charges.price);
  const spent = {
    amount: Math.min(credits.amount, isPricePaidElsewhere ? subtotal - charges.price : subtotal),
    mails: mails.reduce((sum, { credited }) => sum + credited, 0),
  };
  const net = subtotal - spent.amount;
  const taxed = tax === null ? 0 : share(net, tax.rate, 1_000_000);
  const lines: Line[] = [{ kind: "base", amount: charges.price }, ...mails];
  if (spent.amount > 0) lines.push({ kind: "credit", amount: -spent.amount });
  if (tax !== null) lines.push({ kind: "tax", label: tax.label, rate: tax.rate, amount: taxed });
  return { lines, subtotal, tax: taxed, total: net + taxed, spent };
}

const RATE_DECIMALS = 4;

/** Reads a rate in percent such as `8.875` as millionths. */
export function readRate(text: string): number | { readonly wrong: string } {
  const parts = /^(\d{1,3})(?:\.(\d{1,4}))?$/.exec(text);
  const rate = parts && Number((parts[1] ?? "") + (parts[2] ?? "").padEnd(RATE_DECIMALS, "0"));
  return rate === null || rate > 1_000_000
    ? { wrong: "must be a rate in percent from 0 to 100, such as 19 or 8.875" }
    : rate;
}

/** Writes a rate in percent, without zeros at the end. */
export function writeRate(rate: number): string {
  const digits = String(rate).padStart(RATE_DECIMALS + 1, "0");
  const fraction = digits.slice(-RATE_DECIMALS).replace(/0+$/, "");
  const whole = digits.slice(0, -RATE_DECIMALS);
  return fraction === "" ? whole : `${whole}.${fraction}`;
}
