/** Fills a database with an account, a list and any number of subscribers, much as an import would leave them. */
import { createAccount, createApiKey } from "../../src/accounts/accounts.ts";
import { openDatabase } from "../../src/database.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { loadConfig } from "../../src/platform/config/load.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { createLog } from "../../src/platform/log.ts";
import { createHashAddress, createList } from "../../src/subscribers/subscribers.ts";

export type Generated = {
  readonly key: string;
  readonly listId: string;
  readonly emailOf: (n: number) => string;
  readonly rows: number;
};

const SLICE = 20_000;
const TAGS = ["one in two", "one in ten", "one in a hundred"] as const;
const SHARES = [2, 10, 100];

/** As the generator writes them: the same on every run. */
const emailOf = (n: number) => `person${n}.${(n * 7_919) % 1_000_003}@example${n % 97}.com`;

export async function generate(
  environment: Record<string, string>,
  rows: number,
  note: (text: string) => void,
): Promise<Generated> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const { config } = loadConfig(environment, "no .env here");
  const database = await openDatabase(config, log, "guest");
  // Of its own: an ANALYZE of many rows may take longer than the service lets a statement run.
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
    const hash = createHashAddress(database.addressKey);
    for (let from = 0; from < rows; from += SLICE) {
      const count = Math.min(SLICE, rows - from);
      await insertSlice(db, { accountId, listId, tagIds, hash, from, count });
      if (from % 200_000 === 0 && rows > SLICE) note(`generating: ${from} of ${rows} subscribers`);
    }
    await db.execute(sql`analyze contacts, subscribers, subscriber_tags, list_counts`);
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

/** A number from 0 to 99 for everybody, in slot 1. */
async function insertField(db: Db, accountId: string): Promise<void> {
  await db.execute(sql`
    insert into fields (account_id, id, slot, key, name, type, created_at, updated_at)
    values (${accountId}, ${newId(systemClock)}, 1, 'points', 'Points', 'number', now(), now())`);
}

type Slice = {
  accountId: string;
  listId: string;
  tagIds: readonly string[];
  hash: (key: string) => Buffer;
  from: number;
  count: number;
};

/** Spread over the past year, a second apart at least, so that pages have a real order to keep. */
async function insertSlice(db: Db, { accountId, listId, tagIds, hash, from, count }: Slice): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => from + index);
  const ids = numbers.map(() => newId(systemClock));
  const contactIds = numbers.map(() => newId(systemClock));
  const emails = numbers.map(emailOf);
  const times = numbers.map((n) => new Date(Date.UTC(2025, 10, 1) + n * 31));
  const tagged = numbers.flatMap((n, index) =>
    SHARES.flatMap((share, tag) =>
      n % share === 0 ? [{ id: ids[index], tagId: tagIds[tag], at: times[index] }] : [],
    ),
  );
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into contacts (account_id, id, address_hash, created_at)
      select ${accountId}, id, hash, at from unnest(
        ${contactIds}::uuid[], ${emails.map(hash)}::bytea[], ${times}::timestamptz[]) as new (id, hash, at)`);
    await tx.execute(sql`
      insert into subscribers (account_id, id, list_id, contact_id, email, email_key, first_name, fields, status, source,
                               created_at, updated_at)
      select ${accountId}, id, ${listId}, contact_id, email, email, 'Ada', jsonb_build_object('1', n % 100),
             case when n % 20 = 0 then 'unsubscribed' else 'active' end, 'bench', at, at
      from unnest(${ids}::uuid[], ${contactIds}::uuid[], ${emails}::text[], ${times}::timestamptz[], ${numbers}::int[])
        as new (id, contact_id, email, at, n)`);
    await tx.execute(sql`
      insert into subscriber_tags (account_id, subscriber_id, tag_id, list_id, created_at)
      select ${accountId}, id, tag_id, ${listId}, at from unnest(
        ${tagged.map((one) => one.id)}::uuid[], ${tagged.map((one) => one.tagId)}::uuid[],
        ${tagged.map((one) => one.at)}::timestamptz[]) as new (id, tag_id, at)`);
  });
}
