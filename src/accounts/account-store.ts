import { type Queryable, sql, type Tx } from "../platform/db/db.ts";

export type AccountRow = {
  account_id: string;
  name: string;
  time_zone: string;
  from_name: string | null;
  from_email: string | null;
  reply_to: string | null;
  postal_address: string | null;
  created_at: Date;
  updated_at: Date;
};

const columns = sql`account_id, name, time_zone, from_name, from_email, reply_to, postal_address, created_at, updated_at`;

export async function insertAccount(tx: Tx, account: AccountRow): Promise<void> {
  await tx.execute(sql`
    insert into accounts (${columns})
    values (${account.account_id}, ${account.name}, ${account.time_zone}, ${account.from_name}, ${account.from_email},
            ${account.reply_to}, ${account.postal_address}, ${account.created_at}, ${account.updated_at})`);
}

export function findAccount(db: Queryable, accountId: string): Promise<AccountRow | undefined> {
  return db.maybeOne<AccountRow>(sql`select ${columns} from accounts where account_id = ${accountId}`);
}

export function lockAccount(tx: Tx, accountId: string): Promise<AccountRow> {
  return tx.one<AccountRow>(sql`select ${columns} from accounts where account_id = ${accountId} for update`);
}

export async function updateAccountRow(tx: Tx, account: AccountRow): Promise<void> {
  await tx.execute(sql`
    update accounts set name = ${account.name}, time_zone = ${account.time_zone}, from_name = ${account.from_name},
      from_email = ${account.from_email}, reply_to = ${account.reply_to}, postal_address = ${account.postal_address},
      updated_at = ${account.updated_at}
    where account_id = ${account.account_id}`);
}

/** Finds the oldest account, for the first start and for commands of the command line that name none. */
export function findFirstAccount(db: Queryable): Promise<AccountRow | undefined> {
  return db.maybeOne<AccountRow>(
    sql`select ${columns} from accounts order by created_at, account_id limit 1`,
  );
}

/** Makes "is there an account yet?" and "create the first" one step when several processes start at once. */
export async function lockFirstAccount(tx: Tx): Promise<void> {
  await tx.execute(sql`lock table accounts in share row exclusive mode`);
}
