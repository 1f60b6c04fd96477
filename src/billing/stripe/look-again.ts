/** Looks at Stripe and applies what it has, in one go, for whoever can't wait for a job. */
import type { Clock } from "../../platform/clock.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Db, Writable } from "../../platform/db/db.ts";
import type { Log } from "../../platform/log.ts";
import { applyLook } from "./apply.ts";
import { ask, type Payments } from "./client.ts";
import { originOf, takeBackFormer } from "./customers.ts";
import { type Look, look } from "./look.ts";

type LookingTools = {
  readonly db: Writable;
  readonly transaction: Db["transaction"];
  readonly clock: Clock;
  readonly log: Log;
};

/** Returns what was seen; undefined where the account is no customer. `isApplied` is false where another look began meanwhile, which counts in its place. */
export async function lookAgain(
  { db, transaction, clock, log }: LookingTools,
  payments: Payments,
  accountId: string,
  { wide = false }: { readonly wide?: boolean } = {},
): Promise<{ readonly found: Look; readonly isApplied: boolean } | undefined> {
  const origin = await ask(payments, log, () => originOf(payments));
  await transaction((tx) => takeBackFormer(systemCtx({ clock, log }, tx, accountId), origin));
  const found = await look({ db, clock, log, payments }, accountId, { wide });
  if (!found) return undefined;
  const isApplied = await transaction((tx) => applyLook(systemCtx({ clock, log }, tx, accountId), found));
  return { found, isApplied };
}
