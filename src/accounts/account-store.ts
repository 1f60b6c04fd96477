import { type Actor, SYSTEM } from "../platform/context.ts";
import { join, prepared, type Queryable, raw, sql, type Tx } from "../platform/db/db.ts";
import { isBeingDeleted } from "./holds/holds.ts";
import type { BlocksStyle } from "./settings/schema.ts";
import type { ChecklistStep, OwnBounceLimits, OwnGuardrails, TrackingMode } from "./settings/settings.ts";
import { signedBy, signedColumns, signing, type UpdatedByRow, updatedByOf } from "./updated-by.ts";

/** What the owner may change of an account. A new setting is a column that stands here, in the type below and in `schema.ts`. */
export const EDITABLE = [
  "name",
  "time_zone",
  "locale",
  "from_name",
  "from_email",
  "reply_to",
  "postal_address",
  "tracking",
  "honeypot_link",
  "require_two_factor",
  "brand_colour",
  "logo_file_id",
  "blocks_style",
  "guardrails",
  "bounces",
  "checklist_dismissed",
  "checklist_skipped",
] as const satisfies readonly (keyof AccountRow)[];

export type AccountRow = {
  account_id: string;
  name: string;
  time_zone: string;
  /** The language of public pages for visitors whose own isn't there; null is English. */
  locale: string | null;
  from_name: string | null;
  from_email: string | null;
  reply_to: string | null;
  postal_address: string | null;
  /** Null until somebody has chosen, which means individual. */
  tracking: TrackingMode | null;
  honeypot_link: boolean;
  /** People without a second factor are kept out until they add one. */
  require_two_factor: boolean;
  brand_colour: string | null;
  logo_file_id: string | null;
  /** How mails made of blocks look that don't say otherwise; null is as the product has it. */
  blocks_style: BlocksStyle | null;
  guardrails: OwnGuardrails;
  bounces: OwnBounceLimits;
  /** The checklist of the first days was put away for good. */
  checklist_dismissed: boolean;
  checklist_skipped: readonly ChecklistStep[];
  /** What operators allow it; null is no limit. They alone change it (`standing/operator-limits.ts`). */
  daily_mail_limit: number | null;
  subscriber_limit: number | null;
  created_at: Date;
  updated_at: Date;
  updated_by: UpdatedByRow;
};

const columns = join(
  [
    ...["account_id", ...EDITABLE, "daily_mail_limit", "subscriber_limit", "created_at", "updated_at"].map(
      (name) => raw(name),
    ),
    updatedByOf("accounts"),
  ],
  ", ",
);

/** Adds an account. What isn't given has the value that the table says. */
export function insertAccount(
  tx: Tx,
  account: Pick<AccountRow, "account_id" | "name" | "time_zone" | "created_at" | "updated_at">,
): Promise<AccountRow> {
  return tx.one<AccountRow>(sql`
    insert into accounts (account_id, name, time_zone, created_at, updated_at, ${signedColumns})
    values (${account.account_id}, ${account.name}, ${account.time_zone}, ${account.created_at}, ${account.updated_at},
            ${signing(SYSTEM)})
    returning ${columns}`);
}

export function findAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  return db.maybeOne<AccountRow>(
    prepared(sql`select ${columns} from accounts where account_id = ${accountId}`),
  );
}

/** Reads what days of the account are reckoned by, and nothing else: who asks for numbers by the day waits for it. */
export function readAccountZone(
  db: Queryable,
  accountId: string,
): Promise<Pick<AccountRow, "time_zone" | "created_at"> | undefined> {
  return db.maybeOne(
    prepared(sql`select time_zone, created_at from accounts where account_id = ${accountId}`),
  );
}

/** Finds an account whose deletion hasn't begun: what people do by old mail of another is answered as if it were gone. */
export function findLiveAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  return db.maybeOne<AccountRow>(sql`
    select ${columns} from accounts where account_id = ${accountId} and not ${isBeingDeleted(sql`accounts.account_id`)}`);
}

export function lockAccount(tx: Tx, accountId: string): Promise<AccountRow> {
  return tx.one<AccountRow>(sql`select ${columns} from accounts where account_id = ${accountId} for update`);
}

/** Returns the row as the table has it now: the server orders the keys of an object as it likes. */
export function updateAccountRow(tx: Tx, account: AccountRow, actor: Actor): Promise<AccountRow> {
  const changes = EDITABLE.map((name) => sql`${raw(name)} = ${account[name]}`);
  return tx.one<AccountRow>(sql`
    update accounts set ${join(changes, ", ")}, updated_at = ${account.updated_at}, ${signedBy(actor)}
    where account_id = ${account.account_id} returning ${columns}`);
}

/**
 * Finds the account of the first start, which may read how the instance is set up. The instance keeps its id, so that nobody takes its place
 * when it is deleted.
 */
export function findFirstAccount(db: Queryable): Promise<AccountRow | undefined> {
  return db.maybeOne<AccountRow>(
    sql`select ${columns} from accounts where account_id = (select first_account_id from instance)`,
  );
}

/** Makes an account the first one of an instance that never had one. */
export async function noteFirstAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.execute(sql`update instance set first_account_id = ${accountId} where first_account_id is null`);
}

/** Forgets a first account that is gone with all others; only a start may do so, which makes the next one for the operator. */
export async function forgetFirstAccount(tx: Tx): Promise<void> {
  await tx.execute(sql`update instance set first_account_id = null where first_account_id is not null`);
}

export async function hasAccounts(db: Queryable): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select from accounts) as found`);
  return found;
}

/** Makes "is there an account yet?" and "create the first" one step when several processes start at once. */
export async function lockFirstAccount(tx: Tx): Promise<void> {
  await tx.execute(sql`lock table accounts in share row exclusive mode`);
}

/** Tells whether the account shows this file as its logo. */
export async function isLogo(db: Queryable, accountId: string, fileId: string): Promise<boolean> {
  const rows = await db.many(
    sql`select from accounts where account_id = ${accountId} and logo_file_id = ${fileId}`,
  );
  return rows.length > 0;
}
