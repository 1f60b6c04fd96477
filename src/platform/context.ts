import type { Clock } from "./clock.ts";
import type { Queryable, Tx } from "./db/db.ts";
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

/** For verbs that change something: their statements and their events commit together. */
export type TxCtx = Ctx<Tx>;
