/** All statements about recipients' domains. They belong to the instance, so none starts from an account. */
import { textArray } from "../platform/db/arrays.ts";
import { type Queryable, sql, type Tx, type Writable } from "../platform/db/db.ts";
import type { Found } from "./look-up.ts";
import { dropWanted } from "./wanted-store.ts";

export type KnownDomain = Found & { readonly name: string; readonly freshUntil: Date };

export function findDomains(db: Queryable, names: readonly string[]): Promise<KnownDomain[]> {
  return db.many<KnownDomain>(sql`
    select name, state, servers, fresh_until as "freshUntil" from recipient_domains
    where name = any(${textArray(names)}::text[])`);
}

/** In the order of their names, so that two who write the same never wait for each other in a circle. Nobody has to look them up any more. */
export async function keepDomains(tx: Tx, domains: readonly KnownDomain[], now: Date): Promise<void> {
  if (domains.length === 0) return;
  const rows = domains.map(({ name, state, servers, freshUntil }) => ({
    name,
    state,
    servers,
    fresh_until: freshUntil,
  }));
  await tx.execute(sql`
    insert into recipient_domains (name, state, servers, looked_up_at, fresh_until)
    select name, state, servers, ${now}, fresh_until
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r (name text, state text, servers text[], fresh_until timestamptz)
    order by name
    on conflict (name) do update set state = excluded.state, servers = excluded.servers,
      looked_up_at = excluded.looked_up_at, fresh_until = excluded.fresh_until`);
  await dropWanted(
    tx,
    domains.map(({ name }) => name),
  );
}

/** What nobody asked about for so long isn't worth its row. */
const KEPT_MS = 30 * 24 * 3_600_000;

export async function removeOldDomains(db: Writable, now: Date): Promise<void> {
  await db.execute(
    sql`delete from recipient_domains where fresh_until < ${new Date(now.getTime() - KEPT_MS)}`,
  );
}
