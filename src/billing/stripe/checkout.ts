/** Leads people to Stripe's own pages, where they pay and change how they pay. No card is ever seen here. */
import type Stripe from "stripe";
import { type ActCtx, type Ctx, systemCtx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid, notFound } from "../../platform/problems.ts";
import { findPlanRow, type PlanRow } from "../plans/plans.ts";
import {
  alreadySubscribed,
  notSubscribed,
  paymentsUnreachable,
  planArchived,
  planNotSold,
} from "../problems.ts";
import { hasHadTrial } from "../subscriptions/subscriptions.ts";
import { ask, isMissing, isSafeUrl, MisshapenAnswer, type Payments, unlessMissing } from "./client.ts";
import { type CustomerRow, findCustomer, insertCustomer, type Origin } from "./customer-store.ts";
import { isOfKey, isUsable, originOf, replaceCustomer } from "./customers.ts";
import { keyOf } from "./keys.ts";
import { lookAgain } from "./look-again.ts";

/** A plan that can be bought. */
export type SoldPlan = PlanRow & { readonly stripe_price_id: string };

/** Where people come back to. */
export type ReturnUrls = { readonly success: string; readonly cancel: string };

export async function requireSoldPlan(db: Queryable, publicId: string): Promise<SoldPlan> {
  const id = fromPublicId("pln", publicId);
  const plan = id && (await findPlanRow(db, id));
  if (!plan) throw invalid({ pointer: "/plan_id", code: "not_found", detail: "there is no such plan" });
  if (plan.archived_at) throw new AppError(planArchived, `${plan.name} is archived; take another plan`);
  const { stripe_price_id } = plan;
  if (stripe_price_id === null) throw new AppError(planNotSold, `${plan.name} has no price at Stripe`);
  return { ...plan, stripe_price_id };
}

type Paying = CustomerRow & { readonly subscription_id: string };

function isPaying(row: CustomerRow | undefined): row is Paying {
  return (row?.status === "active" || row?.status === "past_due") && row.subscription_id !== null;
}

/** Refuses an account that pays for no plan by the key that this service has. */
export async function requirePaying(db: Queryable, payments: Payments, accountId: string): Promise<Paying> {
  const row = await findCustomer(db, accountId);
  if (!isUsable(row, payments) || !isPaying(row)) throw paysNothing();
  return row;
}

export function paysNothing(): AppError {
  return new AppError(notSubscribed, "the account pays for no plan");
}

/** Whoever pays comes back to this service and to nobody else, so that no link of ours leads to a page of a stranger's. */
export function readReturnUrls(
  given: { readonly success_url?: string; readonly cancel_url?: string },
  own: readonly string[],
): ReturnUrls {
  const [home = ""] = own;
  const faults: Fault[] = [];
  const read = (name: "success_url" | "cancel_url", fallback: string) => {
    const text = given[name];
    if (text === undefined) return fallback;
    if (isWithin(text, own)) return text;
    const detail = `must be a page of this service, under ${home}`;
    faults.push({ pointer: `/${name}`, code: "url_not_allowed", detail });
    return fallback;
  };
  const urls = {
    success: read("success_url", `${home}/settings/billing?checkout=done`),
    cancel: read("cancel_url", `${home}/settings/billing`),
  };
  if (faults.length > 0) throw invalid(...faults);
  return urls;
}

function isWithin(text: string, own: readonly string[]): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return false;
  return own.some((one) => url.origin === new URL(one).origin);
}

/** Refuses an account that pays for a plan already: it would pay twice. */
export async function requireNotPaying({ sql, accountId }: Ctx, payments: Payments): Promise<void> {
  refusePaying(await findCustomer(sql, accountId), payments);
}

/** What is paid for by another key keeps nobody from paying by this one, but a key of the test mode, where nobody pays, takes no place of a live one. */
function refusePaying(row: CustomerRow | undefined, { isLive }: Payments): void {
  if (!isPaying(row)) return;
  const { livemode, missing_as } = row;
  if (livemode === true && !isLive)
    throw new AppError(
      alreadySubscribed,
      "the account pays for a plan in Stripe's live mode, and this service now has a key of the test mode",
    );
  if (missing_as !== null || (livemode === false && isLive)) return;
  throw new AppError(alreadySubscribed, "the account pays for a plan already; change it instead");
}

/** Returns the address of a page of Stripe's at which the plan is bought. Asked for again, it is the same page for a day. */
export async function openCheckout(
  ctx: ActCtx,
  payments: Payments,
  plan: SoldPlan,
  urls: ReturnUrls,
): Promise<string> {
  const customer = await requireCustomer(ctx, payments);
  const opened = await openSession(ctx, payments, { customer, plan, urls });
  if (opened !== undefined) return opened;
  // Stripe has the customer no more, which a look now says, so the account becomes another.
  const other = await openSession(ctx, payments, {
    customer: await requireCustomer(ctx, payments, customer.customer_id),
    plan,
    urls,
  });
  if (other === undefined)
    throw new AppError(paymentsUnreachable, "Stripe doesn't know a customer of its own");
  return other;
}

type Purchase = { readonly customer: CustomerRow; readonly plan: SoldPlan; readonly urls: ReturnUrls };

/** Returns undefined where Stripe has no such customer. */
async function openSession(
  ctx: ActCtx,
  payments: Payments,
  { customer, plan, urls }: Purchase,
): Promise<string | undefined> {
  const sessions = await ask(payments, ctx.log, (stripe) => listSessions(stripe, customer.customer_id));
  await refuseWhoHasPaid(ctx, payments, { customer, sessions });
  const account = toPublicId("acc", ctx.accountId);
  const hasTrial = plan.trial_days > 0 && !(await hasHadTrial(ctx.sql, ctx.accountId));
  const metadata = { account_id: account, plan_id: toPublicId("pln", plan.id) };
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: "subscription",
    customer: customer.customer_id,
    client_reference_id: account,
    line_items: [{ price: plan.stripe_price_id, quantity: 1 }],
    success_url: urls.success,
    cancel_url: urls.cancel,
    subscription_data: { metadata, ...(hasTrial && { trial_period_days: plan.trial_days }) },
  };
  // Who bought and canceled since may buy again, so what is intended holds what was bought last.
  const day = ctx.clock.now().toISOString().slice(0, 10);
  const intent = keyOf("checkout", [ctx.accountId, customer.subscription_id, day, params]);
  const [newest] = sessions;
  return ask(payments, ctx.log, async (stripe) => {
    const isSame = newest?.status === "open" && newest.metadata?.[INTENT] === intent;
    const made = isSame ? newest : await makeSession(stripe, params, { intent, newest });
    if (!made) return undefined;
    const url = readUrl(made.url);
    // Another request may have made one meanwhile, which closes this one or is closed by it.
    const others = isSame ? sessions : await listSessions(stripe, customer.customer_id);
    await closeOlder(ctx, stripe, others, made.id);
    return url;
  });
}

/** Says in a page's metadata what was asked for, so that it is found again. */
const INTENT = "postrider_intent";
/** No account opens more pages a day, after which Stripe closes them. */
const MOST_SESSIONS = 100;

/** Newest first. */
async function listSessions(stripe: Stripe, customer: string): Promise<readonly Stripe.Checkout.Session[]> {
  const found = await unlessMissing(stripe.checkout.sessions.list({ customer, limit: MOST_SESSIONS }));
  return found ? found.data.filter(({ id }) => typeof id === "string") : [];
}

/** Refuses who has paid at a page, though Stripe has told nothing of it yet: whoever sees no plan after paying comes back at once. */
async function refuseWhoHasPaid(
  ctx: ActCtx,
  payments: Payments,
  {
    customer,
    sessions,
  }: { readonly customer: CustomerRow; readonly sessions: readonly Stripe.Checkout.Session[] },
): Promise<void> {
  const isUnheardOf = ({ status, subscription }: Stripe.Checkout.Session) =>
    status === "complete" && subscription !== customer.subscription_id;
  if (!sessions.some(isUnheardOf)) return;
  await lookAgain({ ...ctx, db: ctx.sql }, payments, ctx.accountId);
  refusePaying(await findCustomer(ctx.sql, ctx.accountId), payments);
}

/** Returns undefined where Stripe has no such customer. Asked for after another page, it is a new one: the one before is closed by then. */
async function makeSession(
  stripe: Stripe,
  params: Stripe.Checkout.SessionCreateParams,
  { intent, newest }: { readonly intent: string; readonly newest: Stripe.Checkout.Session | undefined },
): Promise<Stripe.Checkout.Session | undefined> {
  const idempotencyKey = keyOf("checkout", [intent, newest?.id ?? null]);
  try {
    return await stripe.checkout.sessions.create(
      { ...params, metadata: { [INTENT]: intent } },
      { idempotencyKey },
    );
  } catch (error) {
    if (isMissing(error, "customer")) return undefined;
    throw error;
  }
}

/** Closes the pages that were opened before, since whoever pays at two is charged twice. Who is to pay waits for no page that can't be closed. */
async function closeOlder(
  { log, accountId }: ActCtx,
  stripe: Stripe,
  sessions: readonly Stripe.Checkout.Session[],
  id: string,
): Promise<void> {
  const at = sessions.findIndex((one) => one.id === id);
  for (const { id: older, status } of at < 0 ? [] : sessions.slice(at + 1)) {
    if (status !== "open") continue;
    await stripe.checkout.sessions.expire(older).catch((error) => {
      log.warn({ err: error, account: accountId, session: older }, "an earlier page to pay stays open");
    });
  }
}

function readUrl(url: unknown): string {
  if (isSafeUrl(url)) return url;
  throw new MisshapenAnswer("Stripe made a page without an address");
}

/** Returns the address of Stripe's portal. It is good for minutes, so each request gets one of its own. */
export async function openPortal(ctx: ActCtx, payments: Payments, returnUrl: string): Promise<string> {
  const row = await findCustomer(ctx.sql, ctx.accountId);
  if (!isUsable(row, payments)) throw hasNoPortal();
  const params = { customer: row.customer_id, return_url: returnUrl };
  const url = await ask(payments, ctx.log, async (stripe) => {
    const session = await unlessMissing(stripe.billingPortal.sessions.create(params));
    return session && readUrl(session.url);
  });
  if (url !== undefined) return url;
  await lookAgain({ ...ctx, db: ctx.sql }, payments, ctx.accountId);
  throw hasNoPortal();
}

function hasNoPortal(): AppError {
  return new AppError(notSubscribed, "the account has bought nothing that Stripe still knows of");
}

/**
 * An account is one customer, as long as Stripe has it and the key is of the same mode and account. `missing` is one that Stripe doesn't know. Stripe is
 * told nothing of the account but its id; who pays types the rest there.
 */
async function requireCustomer(ctx: ActCtx, payments: Payments, missing?: string): Promise<CustomerRow> {
  const { sql, accountId, log } = ctx;
  const origin = await ask(payments, log, () => originOf(payments));
  const known = await findCustomer(sql, accountId);
  if (!known) return addCustomer(ctx, payments, origin);
  if (known.customer_id !== missing && isUsable(known, payments) && isOfKey(known, origin)) return known;
  // What Stripe has of it counts, and not what was last heard.
  await lookAgain({ ...ctx, db: sql }, payments, accountId);
  const now = await findCustomer(sql, accountId);
  refusePaying(now, payments);
  if (now?.customer_id !== missing && isUsable(now, payments) && isOfKey(now, origin)) return now;
  return addCustomer(ctx, payments, origin, now?.customer_id);
}

/** Makes a customer, in the place of one that Stripe doesn't have any more or never had under this key. */
async function addCustomer(
  ctx: ActCtx,
  payments: Payments,
  origin: Origin,
  former?: string,
): Promise<CustomerRow> {
  const { accountId, clock, log } = ctx;
  const metadata = { account_id: toPublicId("acc", accountId) };
  const idempotencyKey = keyOf("customer", former === undefined ? [accountId] : [accountId, former]);
  const customer_id = await ask(payments, log, async (stripe) => {
    const { id } = await stripe.customers.create({ metadata }, { idempotencyKey });
    if (typeof id === "string" && /^cus_\w{1,200}$/.test(id)) return id;
    throw new MisshapenAnswer("Stripe made a customer without an id");
  });
  const customer = { ...origin, customer_id };
  const made = await ctx.transaction((tx) =>
    former === undefined
      ? insertCustomer(tx, accountId, customer, clock.now())
      : replaceCustomer(systemCtx(ctx, tx, accountId), former, customer),
  );
  if (!made) throw new AppError(notFound, "there is no such account");
  return made;
}
