import { type Queryable, sql, type Writable } from "../../platform/db/db.ts";

export type Probed = { url: string; probed_at: Date; ok: boolean; reason: string | null };

export function readProbed(db: Queryable): Promise<Probed | undefined> {
  return db.maybeOne<Probed>(sql`select url, probed_at, ok, reason from public_probe`);
}

export async function storeProbed(db: Writable, { url, probed_at, ok, reason }: Probed): Promise<void> {
  await db.execute(sql`
    insert into public_probe (url, probed_at, ok, reason) values (${url}, ${probed_at}, ${ok}, ${reason})
    on conflict (only_row) do update set url = excluded.url, probed_at = excluded.probed_at, ok = excluded.ok,
      reason = excluded.reason`);
}
