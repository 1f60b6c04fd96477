/** Leads people to Stripe's own pages, where they pay and change how they pay. No card is ever seen here. */
import { createHash } from "node:crypto";
import type Stripe from "stripe";
import type { ActCtx, Ctx } from "../../platform/context.ts";
import type { Queryable } from "../../platform/db/db.ts";
import { fromPublicId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, invalid } from "../../platform/problems.ts";
import { findPlan, type PlanRow } from "../plans/plans.ts";
import { alreadySubscribed, notSubscribed, planArchived, planNotSold } from "../problems.ts";
import { hasEverSubscribed } from "../subscriptions/subscriptions.ts";
import { ask, type Payments } from "./client.ts";
import { type CustomerRow, findCustomer, insertCustomer } from "./customer-store.ts";

/** A plan that can be bought. */
export type SoldPlan = PlanRow & { readonly stripe_price_id: string };

/** Where people come back to. */
export type ReturnUrls = { readonly success: string; readonly cancel: string };

export async function requireSoldPlan(db: Queryable, publicId: string): Promise<SoldPlan> {
  const id = fromPublicId("pln", publicId);
  const plan = id && (await findPlan(db, id));
  if (!plan) throw invalid({ pointer: "/plan_id", code: "not_found", detail: "there is no such plan" });
  if (plan.archived_at) throw new AppError(planArchived, `${plan.name} is archived; take another plan`);
  const { stripe_price_id } = plan;
  if (stripe_price_id === null) throw new AppError(planNotSold, `${plan.name} has no price at Stripe`);
  return { ...plan, stripe_price_id };
}

function isPaying(row: CustomerRow | undefined): row is CustomerRow & { subscription_id: string } {
  return (row?.status === "active" || row?.status === "past_due") && row.subscription_id !== null;
}

/** Refuses an account that pays for no plan. */
export async function requirePaying(db: Queryable, accountId: string) {
  const row = await findCustomer(db, accountId);
  if (!isPaying(row)) throw new AppError(notSubscribed, "the account pays for no plan");
  return row;
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
export async function requireNotPaying({ sql, accountId }: Ctx): Promise<void> {
  if (isPaying(await findCustomer(sql, accountId)))
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
  const account = toPublicId("acc", ctx.accountId);
  const hasTrial = plan.trial_days > 0 && !(await hasEverSubscribed(ctx.sql, ctx.accountId));
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
  // Who bought and canceled since may buy again, so the key holds what was bought last.
  const day = ctx.clock.now().toISOString().slice(0, 10);
  const idempotencyKey = keyOf("checkout", [ctx.accountId, customer.subscription_id, day, params]);
  const { url } = await ask(payments, ctx.log, (stripe) =>
    stripe.checkout.sessions.create(params, { idempotencyKey }),
  );
  if (url === null) throw new Error("Stripe made a checkout without an address");
  return url;
}

/** Returns the address of Stripe's portal. It is good for minutes, so each request gets one of its own. */
export async function openPortal(
  { log, sql, accountId }: Ctx,
  payments: Payments,
  returnUrl: string,
): Promise<string> {
  const customer = await findCustomer(sql, accountId);
  if (!customer) throw new AppError(notSubscribed, "the account has never bought a plan");
  const { url } = await ask(payments, log, (stripe) =>
    stripe.billingPortal.sessions.create({ customer: customer.customer_id, return_url: returnUrl }),
  );
  return url;
}

/** An account is one customer for ever. Stripe is told nothing of it but its id; who pays types the rest there. */
async function requireCustomer(ctx: ActCtx, payments: Payments): Promise<CustomerRow> {
  const { sql, accountId, clock, log } = ctx;
  const known = await findCustomer(sql, accountId);
  if (known) return known;
  const metadata = { account_id: toPublicId("acc", accountId) };
  const { id } = await ask(payments, log, (stripe) =>
    stripe.customers.create({ metadata }, { idempotencyKey: keyOf("customer", [accountId]) }),
  );
  return ctx.transaction((tx) => insertCustomer(tx, accountId, id, clock.now()));
}

/** The same intent has the same key, so that Stripe does it once however often it is asked. */
export function keyOf(what: string, of: readonly unknown[]): string {
  return `postrider-${what}-${createHash("sha256").update(JSON.stringify(of)).digest("hex").slice(0, 40)}`;
}
