/** Statements on how far automations have been looked through for dates. */
import { prepared, type Queryable, sql, type Tx } from "../../platform/db/db.ts";
import type { DatedPlace } from "../../subscribers/subscribers.ts";

/** `at` is null where an automation is new, or has a new version. */
export type WaitingLook = { readonly accountId: string; readonly id: string; readonly at: Date | null };

/** Finds automations in which somebody may enter by a date until then, of all accounts; also those that are new, or have a new version. */
export function findLooks(db: Queryable, until: Date): Promise<WaitingLook[]> {
  return db.many<WaitingLook>(
    prepared(sql`
    select a.account_id as "accountId", a.id, case when l.version = a.version then l.next_at end as at
    from automations a left join automation_date_looks l on l.account_id = a.account_id and l.automation_id = a.id
    where a.state in ('live', 'paused') and (l.automation_id is null or l.version <> a.version or l.next_at <= ${until})`),
  );
}

/** A new automation is looked through from when it was started, or its version published, whichever was later. Returns whether it is new. */
export async function beginLook(tx: Tx, accountId: string, automationId: string): Promise<boolean> {
  const count = await tx.execute(sql`
    insert into automation_date_looks (account_id, automation_id, version, looked_until, next_at)
    select a.account_id, a.id, a.version, greatest(a.state_changed_at, v.published_at), greatest(a.state_changed_at, v.published_at)
    from automations a join automation_versions v
      on v.account_id = a.account_id and v.automation_id = a.id and v.number = a.version
    where a.account_id = ${accountId} and a.id = ${automationId} and a.state in ('live', 'paused')
    on conflict do nothing`);
  return count > 0;
}

export type Look = {
  readonly version: number;
  readonly lookedUntil: Date;
  /** Where the look that is under way will end, and the last person it has come to. */
  readonly looksUntil: Date | null;
  readonly after: DatedPlace | undefined;
  readonly nextAt: Date | null;
  /** The version that was published after this one. */
  readonly successor: { readonly version: number; readonly publishedAt: Date } | undefined;
};

type LookRow = Pick<Look, "version" | "lookedUntil" | "looksUntil" | "nextAt"> & {
  readonly afterCreatedAt: Date | null;
  readonly afterId: string | null;
  readonly successorVersion: number | null;
  readonly successorPublishedAt: Date | null;
};

/**
 * Takes the look of an automation, unless another process has it. The automation stays as it is until the transaction ends, so nobody enters one that
 * has been drained or canceled.
 */
export async function takeLook(tx: Tx, accountId: string, automationId: string): Promise<Look | undefined> {
  const row = await tx.maybeOne<LookRow>(sql`
    select l.version, l.looked_until as "lookedUntil", l.looks_until as "looksUntil", l.after_created_at as "afterCreatedAt",
           l.after_id as "afterId", l.next_at as "nextAt", v.number as "successorVersion", v.published_at as "successorPublishedAt"
    from automations a
      join automation_date_looks l on l.account_id = a.account_id and l.automation_id = a.id
      left join lateral (
        select number, published_at from automation_versions v
        where v.account_id = a.account_id and v.automation_id = a.id and v.number > l.version and v.number <= a.version
        order by v.number limit 1) v on true
    where a.account_id = ${accountId} and a.id = ${automationId} and a.state in ('live', 'paused')
    for share of a skip locked for update of l skip locked`);
  return row && toLook(row);
}

function toLook({ afterCreatedAt, afterId, successorVersion, successorPublishedAt, ...row }: LookRow): Look {
  return {
    ...row,
    after: afterCreatedAt && afterId ? { createdAt: afterCreatedAt, id: afterId } : undefined,
    successor:
      successorVersion !== null && successorPublishedAt
        ? { version: successorVersion, publishedAt: successorPublishedAt }
        : undefined,
  };
}

export async function moveLook(
  tx: Tx,
  accountId: string,
  automationId: string,
  to: Omit<Look, "successor">,
): Promise<void> {
  await tx.execute(sql`
    update automation_date_looks set version = ${to.version}, looked_until = ${to.lookedUntil}, looks_until = ${to.looksUntil},
      after_created_at = ${to.after?.createdAt ?? null}, after_id = ${to.after?.id ?? null}, next_at = ${to.nextAt}
    where account_id = ${accountId} and automation_id = ${automationId}`);
}
