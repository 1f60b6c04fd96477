import type { Clock } from "./clock.ts";
import type { Db, Queryable, Tx, Writable } from "./db/db.ts";
import type { Log } from "./log.ts";

/** Names who makes a change; the event log records it beside what was done. */
export type Actor = { readonly kind: "api_key" | "user" | "system"; readonly id: string | null };

/** Every verb gets this. All of it is required, so that nothing falls back to a global. */
export type Ctx<S extends Queryable = Queryable> = {
  readonly sql: S;
  readonly accountId: string;
  readonly actor: Actor;
  readonly clock: Clock;
  readonly log: Log;
};

/** The system acts where no key and no user does: in a job, by a timer, at a start, by a command of the operator's. */
export const SYSTEM: Actor = { kind: "system", id: null };

export function systemCtx<S extends Queryable>(
  { clock, log }: Pick<Ctx, "clock" | "log">,
  sql: S,
  accountId: string,
): Ctx<S> {
  return { sql, accountId, actor: SYSTEM, clock, log };
}

/** The context of verbs that change something: their statements and their events commit together. */
export type TxCtx = Ctx<Tx>;

declare const claimed: unique symbol;

/**
 * A permission to act on the outside world, which no rollback undoes. Only the platform makes one, after the claim of the
 * request's idempotency key is committed, so that no act runs before that, or again for a repeated request.
 */
export type Permit = { readonly [claimed]: true };

/** The context of verbs that act outside a transaction: they send a mail, or write what must survive a refusal. */
export type ActCtx = Ctx<Writable> & {
  readonly permit: Permit;
  /** Runs what must be committed whole before the request goes on, and stays though it is refused then. */
  readonly transaction: Db["transaction"];
};
