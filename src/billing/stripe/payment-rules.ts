/** What Stripe's words mean here. Nothing in this file is I/O. */

export const PAYMENT_STATUSES = ["none", "active", "past_due", "canceled"] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** What Stripe has charged or credited for a price, or will with the next invoice. */
export type StripeCharge = {
  readonly amount: number;
  /** Whether an item follows from a change of a subscription. */
  readonly proration?: boolean;
  readonly pricing: { readonly price_details?: { readonly price: string | { readonly id: string } } } | null;
};

type LatestInvoice = {
  readonly status: string | null;
  readonly lines?: { readonly data: readonly StripeCharge[] };
};

/** What is read of a subscription at Stripe. Times are seconds since 1970. */
export type StripeSubscription = {
  readonly id: string;
  readonly status: string;
  readonly created: number;
  readonly start_date: number;
  readonly billing_cycle_anchor: number;
  readonly cancel_at: number | null;
  readonly cancel_at_period_end: boolean;
  readonly ended_at: number | null;
  readonly latest_invoice: string | LatestInvoice | null;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly items: {
    readonly data: readonly {
      readonly id: string;
      readonly current_period_end: number;
      readonly price: { readonly id: string };
    }[];
  };
};

/** What is read of an invoice at Stripe, to know whether it is owed. */
export type StripeInvoice = {
  readonly status: string | null;
  readonly attempted: boolean;
  readonly amount_due: number;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly status_transitions?: { readonly finalized_at: number | null };
};

/** A subscription as it is understood here. */
export type Found = {
  readonly id: string;
  readonly itemId: string | null;
  readonly priceId: string | null;
  readonly status: PaymentStatus;
  /** Whether something that was to be paid wasn't. */
  readonly isOwing: boolean;
  readonly startedAt: Date;
  readonly anchor: Date;
  /** Whether its price is charged for the period that lasts; undefined in a trial, in which nothing is charged. */
  readonly isCharged: boolean | undefined;
  readonly cancelsAt: Date | null;
  readonly endedAt: Date | null;
  /** Whether it was canceled because the account is to be deleted, which may be taken back. */
  readonly endsWithAccount: boolean;
};

/** Says in the metadata of a subscription why it was canceled. */
export const CANCELED_FOR = "postrider_canceled_for";

/** A first payment that isn't made yet is nothing, and one that was never made neither. */
const STATUS_OF: Readonly<Record<string, PaymentStatus>> = {
  active: "active",
  trialing: "active",
  past_due: "past_due",
  unpaid: "past_due",
  // A trial ended, and there is nothing to charge.
  paused: "past_due",
  incomplete: "none",
  incomplete_expired: "none",
  canceled: "canceled",
};
const RANK: Readonly<Record<PaymentStatus, number>> = { active: 0, past_due: 0, canceled: 1, none: 2 };

function statusOf({ status }: Pick<StripeSubscription, "status">): PaymentStatus {
  return STATUS_OF[status] ?? "none";
}

/** Of several that a customer has or had, one that lasts counts before any that ended, and then the newest. */
export function deciding(subscriptions: readonly StripeSubscription[]): StripeSubscription | undefined {
  return [...subscriptions].sort(
    (one, other) =>
      RANK[statusOf(one)] - RANK[statusOf(other)] ||
      other.created - one.created ||
      (one.id < other.id ? 1 : -1),
  )[0];
}

/** Lists those that last: of a customer who has two, Stripe charges for both. */
export function lasting(subscriptions: readonly StripeSubscription[]): readonly string[] {
  return subscriptions.filter((one) => RANK[statusOf(one)] === 0).map(({ id }) => id);
}

/** Understands what a customer has of all that it has or had. A debt of one that isn't the deciding one any more stays: buying anew pays nothing. */
export function understandAll(
  subscriptions: readonly StripeSubscription[],
  pending: readonly StripeCharge[] = [],
): Found | null {
  const found = deciding(subscriptions);
  if (!found) return null;
  const isOwingForAny = subscriptions.some((one) => isOwing(one, statusOf(one)));
  return { ...understand(found, pending), isOwing: isOwingForAny };
}

export function understand(subscription: StripeSubscription, pending: readonly StripeCharge[] = []): Found {
  const { id, cancel_at, cancel_at_period_end, ended_at, items } = subscription;
  const [item] = items.data;
  const words = [id, subscription.status, ...(item ? [item.id, item.price.id] : [])];
  if (!words.every((one) => typeof one === "string"))
    throw new TypeError("a subscription of Stripe's lacks a word that each has");
  const status = statusOf(subscription);
  const cancels = cancel_at ?? (cancel_at_period_end ? (item?.current_period_end ?? null) : null);
  return {
    id,
    itemId: item?.id ?? null,
    priceId: item?.price.id ?? null,
    status,
    isOwing: isOwing(subscription, status),
    startedAt: timeOf(subscription.start_date),
    anchor: timeOf(subscription.billing_cycle_anchor),
    isCharged: subscription.status === "trialing" ? undefined : isCharged(subscription, pending),
    cancelsAt: status === "canceled" || cancels === null ? null : timeOf(cancels),
    endedAt: ended_at === null ? null : timeOf(ended_at),
    endsWithAccount: subscription.metadata?.[CANCELED_FOR] === "account_deletion",
  };
}

/**
 * Says whether the price that a subscription has is charged for the period that lasts, or only from the next one on. A change that was made at Stripe
 * may be charged at once, or wait for the next invoice; what waits is newer than the latest invoice. What is credited for a price is no charge.
 */
function isCharged({ items, latest_invoice }: StripeSubscription, pending: readonly StripeCharge[]): boolean {
  const price = items.data[0]?.price.id;
  const prorations = pending.filter(({ proration }) => proration);
  const latest =
    typeof latest_invoice === "object" && latest_invoice?.status !== "void" ? latest_invoice : null;
  const charges = prorations.length > 0 ? prorations : (latest?.lines?.data ?? []);
  return charges.some((one) => one.amount >= 0 && priceIdOf(one) === price);
}

function priceIdOf({ pricing }: StripeCharge): string | undefined {
  const price = pricing?.price_details?.price;
  return typeof price === "object" ? price.id : price;
}

/** One that was canceled, by whomever, is owed for until its last invoice is paid, voided or written off: canceling pays nothing. */
function isOwing({ latest_invoice }: StripeSubscription, status: PaymentStatus): boolean {
  if (status !== "canceled") return status === "past_due";
  return typeof latest_invoice === "object" && latest_invoice?.status === "open";
}

const TRIED_WITHIN_S = 24 * 3_600;

/**
 * An invoice for mails beyond a plan, which names its statement, is owed once Stripe has tried to charge it in vain, and at the latest a day after it
 * was finished. Paid, voided or written off it isn't open any more.
 */
export function isOwedOverage(invoice: StripeInvoice, now: Date): boolean {
  const { status, attempted, amount_due, metadata, status_transitions } = invoice;
  if (status !== "open" || amount_due <= 0 || metadata?.["statement_id"] === undefined) return false;
  const finished = status_transitions?.finalized_at ?? null;
  return attempted || (finished !== null && now.getTime() / 1_000 - finished >= TRIED_WITHIN_S);
}

/** Nobody sees a time of the year 5138. */
const LAST_SECOND = 100_000_000_000;

/** Reads a time of Stripe's, and refuses what is none. */
export function timeOf(seconds: number): Date {
  if (!Number.isSafeInteger(seconds) || seconds < 0 || seconds > LAST_SECOND)
    throw new TypeError("Stripe gave a time that is none");
  return new Date(seconds * 1_000);
}

const DAY_MS = 24 * 3_600_000;
/** The days after which something happens to an account that owes. */
export const OVERDUE_DAYS = [0, 3, 7, 14] as const;
export const CAMPAIGNS_STOP_ON = 7;
export const TRANSACTIONAL_STOPS_ON = 14;

export function overdueAt(since: Date, day: number): Date {
  return new Date(since.getTime() + day * DAY_MS);
}

/** Returns when something really stops: not before an operator's grace is over, and then at once where it is due by then. */
export function stopsAt(since: Date, day: number, graceUntil: Date | null): Date {
  const due = overdueAt(since, day);
  return graceUntil !== null && graceUntil > due ? graceUntil : due;
}

/** Returns how many of the steps are due. */
export function stepsDue(since: Date, now: Date): number {
  return OVERDUE_DAYS.filter((day) => overdueAt(since, day) <= now).length;
}

/** What may not be sent after so many steps. */
export function stoppedAfter(steps: number): "nothing" | "campaigns" | "all" {
  const day = OVERDUE_DAYS[steps - 1] ?? -1;
  if (day >= TRANSACTIONAL_STOPS_ON) return "all";
  return day >= CAMPAIGNS_STOP_ON ? "campaigns" : "nothing";
}

/** Stripe counts these otherwise than ISO 4217 does, by which plans are priced. */
const HUNDREDTHS_AT_STRIPE = new Set(["ISK", "UGX"]);
const WHOLE_AT_STRIPE = new Set(["MGA"]);
const THOUSANDTHS = new Set(["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]);

/** Writes an amount as Stripe counts it. It charges thousandths by tens alone, so these are rounded down, in favour of who pays. */
export function toStripeAmount(amount: number, currency: string): number {
  if (HUNDREDTHS_AT_STRIPE.has(currency)) return amount * 100;
  if (WHOLE_AT_STRIPE.has(currency)) return Math.floor(amount / 100);
  return THOUSANDTHS.has(currency) ? amount - (amount % 10) : amount;
}

/** Reads an amount of Stripe's in the smallest unit that ISO 4217 knows. */
export function fromStripeAmount(amount: number, currency: string): number {
  if (HUNDREDTHS_AT_STRIPE.has(currency)) return Math.round(amount / 100);
  return WHOLE_AT_STRIPE.has(currency) ? amount * 100 : amount;
}
