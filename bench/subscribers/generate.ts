/** Fills a database with an account, a list and any number of subscribers, much as an import would leave them. */
import { createAccount, createApiKey } from "../../src/accounts/accounts.ts";
import { openDatabase } from "../../src/database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createHashAddress, createList } from "../../src/subscribers/subscribers.ts";
import { fillWithoutIndexes, twoAtOnce } from "./fill.ts";

export type Generated = {
  readonly key: string;
  readonly listId: string;
  readonly emailOf: (n: number) => string;
  readonly rows: number;
};

const SLICE = 50_000;
const MANY_ROWS = 200_000;
const TABLES = ["contacts", "subscribers", "subscriber_tags"];
const TAGS = ["one in two", "one in ten", "one in a hundred"] as const;
const SHARES = [2, 10, 100];

/** Returns the address of the n-th person, which is the same on every run. */
const emailOf = (n: number) => `person${n}.${(n * 7_919) % 1_000_003}@example${n % 97}.com`;

export async function generate(
  environment: Record<string, string>,
  rows: number,
  note: (text: string) => void,
): Promise<Generated> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const { config } = loadConfig(environment, "no .env here");
  const database = await openDatabase(config, log, "guest");
  // This pool is separate, because an index or a vacuum of many rows may take longer than the service lets a
  // statement run.
  const db = createDb({
    connection: database.connection,
    poolSize: 4,
    applicationName: "bench",
    log,
    statementTimeoutMs: 0,
  });
  try {
    const { accountId, key, listId } = await db.transaction(async (tx) => {
      const account = await createAccount(tx, systemClock, { name: "Bench" });
      const actor = { kind: "system", id: null } as const;
      const ctx = { sql: tx, accountId: account.account_id, actor, clock: systemClock, log };
      const made = await createApiKey(ctx, {
        name: "bench",
        scopes: ["full"],
        expiresAt: null,
        unlimited: true,
      });
      const list = await createList(ctx, { name: "Bench" });
      return { accountId: account.account_id, key: made.key, listId: list.id };
    });
    const tagIds = await insertTags(db, accountId);
    await insertField(db, accountId);
    const hash = createHashAddress(database.instanceKeys.addressKey);
    const fill = () => insertAll(db, { accountId, listId, tagIds, hash }, rows, note);
    await (rows < MANY_ROWS ? fill() : fillWithoutIndexes(db, TABLES, fill));
    // Tables are vacuumed however few rows they have, because autovacuum would come during the measurement, and for
    // one side only.
    await db.execute(sql`vacuum (analyze) contacts, subscribers, subscriber_tags, list_counts`);
    return { key, listId: toPublicId("lst", listId), emailOf, rows };
  } finally {
    await db.close();
    await database.close();
  }
}

async function insertTags(db: Db, accountId: string): Promise<readonly string[]> {
  const ids = TAGS.map(() => newId(systemClock));
  await db.execute(sql`
    insert into tags (account_id, id, name, name_key, created_at)
    select ${accountId}, id, name, name, now() from unnest(${ids}::uuid[], ${[...TAGS]}::text[]) as new (id, name)`);
  return ids;
}

/** Adds a custom field in slot 1, in which everybody has a number from 0 to 99. */
async function insertField(db: Db, accountId: string): Promise<void> {
  await db.execute(sql`
    insert into fields (account_id, id, slot, key, name, type, created_at, updated_at)
    values (${accountId}, ${newId(systemClock)}, 1, 'points', 'Points', 'number', now(), now())`);
}

type Target = {
  accountId: string;
  listId: string;
  tagIds: readonly string[];
  hash: (key: string) => Buffer;
};

async function insertAll(db: Db, target: Target, rows: number, note: (text: string) => void): Promise<void> {
  const starts = Array.from({ length: Math.ceil(rows / SLICE) }, (_, index) => index * SLICE);
  await twoAtOnce(starts, async (from) => {
    if (from > 0 && from % 200_000 === 0) note(`generating: ${from} of ${rows} subscribers`);
    await insertSlice(db, target, from, Math.min(SLICE, rows - from));
  });
}

/**
 * Inserts people who were created 31 ms apart, so that pages have a real order. The bench's own PostgreSQL has
 * uuidv7(), unlike version 15.
 */
async function insertSlice(db: Db, target: Target, from: number, count: number): Promise<void> {
  const { accountId, listId, tagIds, hash } = target;
  const emails = Array.from({ length: count }, (_, index) => emailOf(from + index));
  await db.execute(sql`
    with new as materialized (
      select n, uuidv7() as id, uuidv7() as contact_id, email, hash, timestamptz '2025-11-01Z' + n * interval '31 ms' as at
      from unnest(${emails}::text[], ${emails.map(hash)}::bytea[]) with ordinality as given (email, hash, nth),
           lateral (select ${from}::bigint + nth - 1 as n) as numbered
    ), new_contacts as (
      insert into contacts (account_id, id, address_hash, created_at)
      select ${accountId}, contact_id, hash, at from new
    ), new_tags as (
      insert into subscriber_tags (account_id, subscriber_id, tag_id, list_id, created_at)
      select ${accountId}, new.id, tag.id, ${listId}, at
      from new join unnest(${[...tagIds]}::uuid[], ${SHARES}::int[]) as tag (id, share) on n % share = 0
    )
    insert into subscribers (account_id, id, list_id, contact_id, email, email_key, first_name, fields, status, source,
                             created_at, updated_at)
    select ${accountId}, id, ${listId}, contact_id, email, email, 'Ada', jsonb_build_object('1', n % 100),
           case when n % 20 = 0 then 'unsubscribed' else 'active' end, 'bench', at, at
    from new`);
}
