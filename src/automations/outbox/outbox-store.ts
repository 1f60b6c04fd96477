/** All statements about what is still to be told. */
import { isHeld } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { prepared, type Queryable, sql, type Tx, type Writable } from "../../platform/db/db.ts";
import { type Listener, notify } from "../../platform/db/listen.ts";
import { newId } from "../../platform/ids.ts";
import type { Node } from "../graph-types.ts";

type TellingNode = Extract<Node, { readonly type: "webhook" | "notify" }>;
type Told = { readonly url: string } | Pick<Extract<Node, { type: "notify" }>, "to" | "subject" | "text">;

export type OutboxRow = {
  readonly account_id: string;
  readonly id: string;
  readonly automation_id: string;
  readonly run_id: string;
  readonly subscriber_id: string;
  readonly visit: number;
  readonly node: string;
  readonly happened_at: Date;
  /** Counts the try that the row was claimed for. */
  readonly attempts: number;
} & (
  | { readonly kind: "webhook"; readonly told: { readonly url: string } }
  | {
      readonly kind: "notify";
      readonly told: { readonly to: readonly string[]; readonly subject: string; readonly text: string };
    }
);

const FILLED = "automation_outbox_filled";

export function watchOutbox(listener: Pick<Listener, "listen">, onHint: () => void): void {
  listener.listen(FILLED, onHint);
}

/** Writes a row for each of these runs, in the transaction of the step. What is told is as the step says now, whatever is published later. */
export async function putIntoOutbox(
  { sql: tx, accountId, clock }: TxCtx,
  { automationId, name, node }: { automationId: string; name: string; node: TellingNode },
  runs: readonly { readonly id: string; readonly subscriberId: string; readonly visit: number }[],
): Promise<void> {
  const now = clock.now();
  const told: Told =
    node.type === "webhook" ? { url: node.url } : { to: node.to, subject: node.subject, text: node.text };
  await tx.execute(sql`
    insert into automation_outbox (account_id, id, automation_id, run_id, subscriber_id, visit, node, kind, told, happened_at, next_at)
    select ${accountId}, id, ${automationId}, run_id, subscriber_id, visit, ${name}, ${node.type}, ${JSON.stringify(told)}::jsonb, ${now}, ${now}
    from unnest(${runs.map(() => newId(clock))}::uuid[], ${runs.map((run) => run.id)}::uuid[],
      ${runs.map((run) => run.subscriberId)}::uuid[], ${runs.map((run) => run.visit)}::smallint[])
      as new (id, run_id, subscriber_id, visit)`);
  await notify(tx, FILLED);
}

/** A step of an automation that has something to tell. Each has a receiver of its own. */
export type Waiting = { readonly accountId: string; readonly automationId: string; readonly node: string };

/**
 * The steps that have something to tell now, of all accounts. A paused automation keeps what it has, and so does a held account. The index
 * automation_outbox_of_step is probed once for each that has anything at all.
 */
export function findWaiting(db: Queryable, now: Date): Promise<Waiting[]> {
  return db.many<Waiting>(
    prepared(sql`
    with recursive front as (
      (select account_id, automation_id, node from automation_outbox
       where exists (select from automation_outbox where next_at <= ${now})
       order by account_id, automation_id, node limit 1)
      union all
      select later.account_id, later.automation_id, later.node from front cross join lateral (
        select o.account_id, o.automation_id, o.node from automation_outbox o
        where (o.account_id, o.automation_id, o.node) > (front.account_id, front.automation_id, front.node)
        order by o.account_id, o.automation_id, o.node limit 1) as later
    )
    select f.account_id as "accountId", f.automation_id as "automationId", f.node
    from front f join automations a on a.account_id = f.account_id and a.id = f.automation_id
    where a.state <> 'paused' and not ${isHeld(sql`f.account_id`)} and exists (
      select from automation_outbox o
      where o.account_id = f.account_id and o.automation_id = f.automation_id and o.node = f.node and o.next_at <= ${now})`),
  );
}

/** Takes some that are due, for as long as a try may take: nobody else takes them until then, and whoever does has the same ids. */
export function claimSome(
  db: Writable,
  { accountId, automationId, node }: Waiting,
  { now, until, limit }: { readonly now: Date; readonly until: Date; readonly limit: number },
): Promise<OutboxRow[]> {
  return db.many<OutboxRow>(sql`
    with due as materialized (
      select id from automation_outbox
      where account_id = ${accountId} and automation_id = ${automationId} and node = ${node} and next_at <= ${now}
      order by next_at limit ${limit} for update skip locked
    )
    update automation_outbox o set attempts = o.attempts + 1, next_at = ${until}
    from due where o.account_id = ${accountId} and o.id = due.id
    returning o.account_id, o.id, o.automation_id, o.run_id, o.subscriber_id, o.visit, o.node, o.kind, o.told, o.happened_at, o.attempts`);
}

/** Says whether the row is still there, and this try's own; the caller's transaction holds it. */
export async function holdClaimed(tx: Tx, row: OutboxRow): Promise<boolean> {
  const found = await tx.maybeOne(sql`
    select from automation_outbox where account_id = ${row.account_id} and id = ${row.id} and attempts = ${row.attempts} for update`);
  return found !== undefined;
}

export async function removeTold(db: Writable, row: OutboxRow): Promise<void> {
  await db.execute(
    sql`delete from automation_outbox where account_id = ${row.account_id} and id = ${row.id}`,
  );
}

export async function postpone(db: Writable, row: OutboxRow, until: Date, error: string): Promise<void> {
  await db.execute(sql`
    update automation_outbox set next_at = ${until}, error = ${error}
    where account_id = ${row.account_id} and id = ${row.id} and attempts = ${row.attempts}`);
}

/** Drops all that an automation still has to tell. */
export async function emptyOutbox(tx: Tx, accountId: string, automationId: string): Promise<void> {
  await tx.execute(
    sql`delete from automation_outbox where account_id = ${accountId} and automation_id = ${automationId}`,
  );
}
