import type { Clock } from "./clock.ts";
import type { Queryable, Tx, Writable } from "./db/db.ts";
import type { Log } from "./log.ts";

/** Who does it: stands in the event log beside what was done. */
export type Actor = { readonly kind: "api_key" | "user" | "system"; readonly id: string | null };

/** What every verb gets. All of it is required, so that nothing falls back to a global. */
export type Ctx<S extends Queryable = Queryable> = {
  readonly sql: S;
  readonly accountId: string;
  readonly actor: Actor;
  readonly clock: Clock;
  readonly log: Log;
};

/** The actor of what nobody asked for in person: a job, a timer, a start, or a command of the operator's. */
export const SYSTEM: Actor = { kind: "system", id: null };

export function systemCtx<S extends Queryable>(
  { clock, log }: Pick<Ctx, "clock" | "log">,
  sql: S,
  accountId: string,
): Ctx<S> {
  return { sql, accountId, actor: SYSTEM, clock, log };
}

/** For verbs that change something: their statements and their events commit together. */
export type TxCtx = Ctx<Tx>;

declare const claimed: unique symbol;

/**
 * Leave to act on the world, which no rollback takes back. The platform alone makes one, once the request's idempotency
 * key is claimed and that is committed: what needs one can't run before, nor for a repetition.
 */
export type Permit = { readonly [claimed]: true };

/** For verbs that act outside of a transaction: send a mail, or write what must outlast a refusal. */
export type ActCtx = Ctx<Writable> & { readonly permit: Permit };
