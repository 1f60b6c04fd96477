/**
 * Lets stripe-mock, which is made of Stripe's own description of its API, judge every parameter that we send: what the service asks of the stand-in of
 * our tests is asked of it once more. It keeps no state, so that only the form of a request is judged.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { onPostgres } from "../test/support/own-postgres.ts";
import { createStripeBed, type StripeBed } from "../test/support/stripe/bed.ts";
import { uuidOf } from "../test/support/subscribers.ts";
import { percentFigure, type Score, type Scorer } from "./figures.ts";
import { findPort, findPrograms, start, stop, untilListening } from "./servers/processes.ts";

export const stripeScorer: Scorer = {
  name: "stripe",
  summary: "the parameters of every call to Stripe, by stripe-mock (STRIPE_MOCK, or in PATH)",
  score: scoreStripe,
};

/** Every call that the client makes, and what it is on the wire. One that isn't here counts as not tried. */
const CALLS: Readonly<Record<string, RegExp>> = {
  "accounts.retrieveCurrent": /^GET \/v1\/account$/,
  "billingPortal.sessions.create": /^POST \/v1\/billing_portal\/sessions$/,
  "checkout.sessions.create": /^POST \/v1\/checkout\/sessions$/,
  "checkout.sessions.expire": /^POST \/v1\/checkout\/sessions\/\w+\/expire$/,
  "checkout.sessions.list": /^GET \/v1\/checkout\/sessions$/,
  "customers.create": /^POST \/v1\/customers$/,
  "customers.retrieve": /^GET \/v1\/customers\/\w+$/,
  "invoiceItems.create": /^POST \/v1\/invoiceitems$/,
  "invoiceItems.list": /^GET \/v1\/invoiceitems$/,
  "invoices.create": /^POST \/v1\/invoices$/,
  "invoices.finalizeInvoice": /^POST \/v1\/invoices\/\w+\/finalize$/,
  "invoices.list": /^GET \/v1\/invoices$/,
  "invoices.retrieve": /^GET \/v1\/invoices\/\w+$/,
  "prices.retrieve": /^GET \/v1\/prices\/\w+$/,
  "subscriptions.cancel": /^DELETE \/v1\/subscriptions\/\w+$/,
  "subscriptions.list": /^GET \/v1\/subscriptions$/,
  "subscriptions.retrieve": /^GET \/v1\/subscriptions\/\w+$/,
  "subscriptions.update": /^POST \/v1\/subscriptions\/\w+$/,
};
const FOLDER = join(import.meta.dirname, "../src/billing/stripe");
const DAY_MS = 24 * 3_600_000;

async function scoreStripe(): Promise<Score> {
  const path = findMock();
  if (path === undefined) {
    const details = ["stripe-mock isn't here (STRIPE_MOCK, or in PATH): left out"];
    return { figures: [], details };
  }
  const asked = await onPostgres("postrider-score-", recordCalls);
  const port = await findPort();
  const args = ["-http-port", String(port), "-https-port", String(await findPort())];
  const child = start(findPrograms("", [path]), path, args, {});
  try {
    await untilListening(port, child);
    return await judgeAll(`http://127.0.0.1:${port}`, asked);
  } finally {
    await stop(child);
  }
}

function findMock(): string | undefined {
  const named = process.env["STRIPE_MOCK"];
  const places = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "stripe-mock"));
  return [...(named ? [named] : []), ...places].find((place) => existsSync(place));
}

type Asked = Pick<StripeBed["fake"]["asked"][number], "method" | "path" | "text">;

/** Lives through all that makes the service ask Stripe for something, and returns what it asked. */
async function recordCalls(): Promise<readonly Asked[]> {
  const bed = await createStripeBed();
  try {
    const payer = await bed.addPayer();
    const subscription = await payer.buy(bed.plans.small);
    await bed.post(bed.fake.event("invoice.paid", bed.fake.renew(subscription["id"], "paid")));
    await bed.caughtUp();
    await payer.send("POST", "/portal");
    bed.clock.step(DAY_MS);
    const { large, medium, small, trial } = bed.plans;
    // Dearer, cheaper, dearer once more, which takes what was to come back first, and the one that it has.
    for (const plan of [medium, small, large, large])
      await payer.send("POST", "/change", { plan_id: plan["id"] });
    await payer.send("POST", "/cancel", { at: "period_end" });
    await payer.send("POST", "/cancel", { at: "now" });
    const second = await bed.addPayer();
    await second.send("POST", "/checkout", { plan_id: small["id"] });
    await second.buy(trial);
    const follower = uuidOf("pls", (await second.billing())["subscription"].id);
    await bed.closeStatement(second.accountId, follower, 1_234);
    await bed.chargeOverages();
    await bed.runJob("reconcile_with_stripe");
    await bed.caughtUp();
    return bed.fake.asked;
  } finally {
    await bed.stop();
  }
}

async function judgeAll(url: string, asked: readonly Asked[]): Promise<Score> {
  const unique = new Map(asked.map((one) => [`${one.method} ${one.path} ${one.text}`, one]));
  const details: string[] = [];
  let taken = 0;
  for (const one of unique.values()) {
    const refusal = await judge(url, one, details);
    if (refusal === undefined) taken++;
    else details.push(`${one.method} ${one.path} ${decodeURIComponent(one.text)}: ${refusal}`);
  }
  const made = listCalls();
  const lines = [...unique.values()].map(({ method, path }) => `${method} ${path}`);
  const untried = made.filter((call) => !lines.some((line) => CALLS[call]?.test(line)));
  for (const call of untried) details.push(`stripe.${call} was never tried`);
  // A judge that takes everything judges nothing.
  const wrong = { method: "POST", path: "/v1/customers", text: "no_such_parameter=1" };
  const isJudging = (await judge(url, wrong, [])) !== undefined;
  return {
    figures: [
      percentFigure("stripe.calls_tried", made.length - untried.length, made.length, 100),
      percentFigure("stripe.requests_taken", taken, unique.size, 100),
      percentFigure("stripe.wrong_parameter_seen", isJudging ? 1 : 0, 1, 100),
    ],
    details: [`${unique.size} different requests by ${made.length} calls`, ...details],
  };
}

/** Finds the calls in the source, so that one that is written later isn't forgotten here. */
function listCalls(): readonly string[] {
  const sources = globSync("**/*.ts", { cwd: FOLDER }).map((name) =>
    readFileSync(join(FOLDER, name), "utf8"),
  );
  const call =
    /\bstripe\s*\.((?:\w+\.)*?(?:accounts|customers|invoices|invoiceItems|sessions|subscriptions))\s*\.(\w+)\(/g;
  const found = sources.flatMap((text) => [...text.matchAll(call)].map(([, of, verb]) => `${of}.${verb}`));
  return [...new Set([...found, "invoices.list", "invoiceItems.list"])].sort();
}

/** Returns why it is refused; undefined where it isn't. */
async function judge(url: string, one: Asked, details: string[]): Promise<string | undefined> {
  const refusal = await send(url, one);
  if (refusal === undefined || !/billing_cycle_anchor/.test(refusal)) return refusal;
  // Stripe's versions until 2026-09-30 have a word for what is an object since, which is what the SDK sends.
  const older = one.text.replace("billing_cycle_anchor[type]=now", "billing_cycle_anchor=now");
  const still = await send(url, { ...one, text: older });
  if (still === undefined)
    details.push("this stripe-mock is older than the SDK: billing_cycle_anchor was judged in its older form");
  return still;
}

async function send(url: string, { method, path, text }: Asked): Promise<string | undefined> {
  const isInUrl = method !== "POST";
  const response = await fetch(`${url}${path}${isInUrl && text ? `?${text}` : ""}`, {
    method,
    headers: { authorization: "Bearer sk_test_123", "content-type": "application/x-www-form-urlencoded" },
    ...(!isInUrl && { body: text }),
  });
  const answer = await response.text();
  return response.ok ? undefined : answer.replace(/\s+/g, " ").slice(0, 300);
}
