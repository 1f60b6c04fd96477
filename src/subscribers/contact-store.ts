import { createHmac } from "node:crypto";
import type { Ctx, TxCtx } from "../platform/context.ts";
import { prepared, type Queryable, sql } from "../platform/db/db.ts";
import { newId } from "../platform/ids.ts";
import { FOUND_OUT } from "./mailable.ts";

/** Stands for no contact where a uuid must be given. No contact has this id. */
export const NO_CONTACT = "00000000-0000-0000-0000-000000000000";

/** Turns an address's key (lower-cased, A-label domain) into what is stored of it for ever. */
export type HashAddress = (addressKey: string) => Buffer;

export function createHashAddress(key: Buffer): HashAddress {
  return (addressKey) => createHmac("sha256", key).update(addressKey).digest().subarray(0, 16);
}

/** Returns the contacts of these hashes by the hash in hex. A contact that isn't there yet is made. */
export async function ensureContacts(ctx: TxCtx, hashes: readonly Buffer[]): Promise<Map<string, string>> {
  // The hashes are in key order, so that two batches with the same addresses wait for each other and never deadlock.
  const sorted = [...new Map(hashes.map((hash) => [hash.toString("hex"), hash])).entries()].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  const values = sorted.map(([, hash]) => hash);
  const ids = sorted.map(() => newId(ctx.clock));
  const inserted = await ctx.sql.many<{ id: string; address_hash: Buffer }>(sql`
    insert into contacts (account_id, id, address_hash, created_at)
    select ${ctx.accountId}, id, hash, ${ctx.clock.now()}
    from unnest(${ids}::uuid[], ${values}::bytea[]) as new (id, hash)
    on conflict (account_id, address_hash) do nothing
    returning id, address_hash`);
  const found = inserted.length === values.length ? [] : await findContacts(ctx, values);
  return new Map([...inserted, ...found].map((row) => [row.address_hash.toString("hex"), row.id]));
}

/** Makes sure that there are contacts of these hashes, without waiting for an answer. */
export function sendContacts(ctx: TxCtx, hashes: readonly Buffer[]): void {
  const sorted = [...new Map(hashes.map((hash) => [hash.toString("hex"), hash]))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  ctx.sql.send(
    prepared(sql`
      insert into contacts (account_id, id, address_hash, created_at)
      select ${ctx.accountId}, id, hash, ${ctx.clock.now()}
      from unnest(${sorted.map(() => newId(ctx.clock))}::uuid[], ${sorted.map(([, hash]) => hash)}::bytea[]) as new (id, hash)
      on conflict (account_id, address_hash) do nothing`),
  );
}

type KnownContact = {
  readonly id: string;
  /** Why mail of the stream is withheld from it; null where it isn't. */
  readonly suppressedFor: string | null;
  /** Whether delivery found it out, by a bounce or a complaint; else somebody decided it. */
  readonly isFoundOut: boolean;
};

/** Finds the contacts of these hashes by the hash in hex, and who of them gets no mail of the stream. */
export async function findContactsFor(
  db: Queryable,
  accountId: string,
  stream: string,
  hashes: readonly Buffer[],
): Promise<Map<string, KnownContact>> {
  const rows = await db.many<{ id: string; hash: Buffer; suppression: [string, string] | null }>(
    prepared(sql`
      select c.id, c.address_hash as hash, (
        select array[sup.reason, sup.source] from suppressions sup
        where sup.account_id = ${accountId} and sup.contact_id = c.id and ${stream}::text = any(sup.streams)) as suppression
      from contacts c where c.account_id = ${accountId} and c.address_hash = any(${hashes}::bytea[])`),
  );
  return new Map(
    rows.map(({ id, hash, suppression }) => {
      const [suppressedFor = null, source] = suppression ?? [];
      return [hash.toString("hex"), { id, suppressedFor, isFoundOut: source === FOUND_OUT }];
    }),
  );
}

function findContacts(ctx: Ctx, hashes: readonly Buffer[]): Promise<{ id: string; address_hash: Buffer }[]> {
  return ctx.sql.many(sql`
    select id, address_hash from contacts
    where account_id = ${ctx.accountId} and address_hash = any(${hashes}::bytea[])`);
}

/** Returns what is stored of the addresses of these contacts, by their ids. */
export async function readAddressHashes(
  db: Queryable,
  accountId: string,
  contactIds: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.many<{ id: string; hash: Buffer }>(sql`
    select id, address_hash as hash from contacts
    where account_id = ${accountId} and id = any(${[...contactIds]}::uuid[])`);
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

export async function findContact(
  db: Queryable,
  accountId: string,
  hash: Buffer,
): Promise<string | undefined> {
  const row = await db.maybeOne<{ id: string }>(
    sql`select id from contacts where account_id = ${accountId} and address_hash = ${hash}`,
  );
  return row?.id;
}
