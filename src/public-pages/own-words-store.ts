import { type Queryable, sql, type Tx } from "../platform/db/db.ts";
import type { Texts } from "./locales/words.ts";

export async function readOwnTexts(db: Queryable, accountId: string, locale: string): Promise<Texts> {
  const row = await db.maybeOne<{ texts: Texts }>(
    sql`select texts from page_words where account_id = ${accountId} and locale = ${locale}`,
  );
  return row?.texts ?? {};
}

export type OwnWordsRow = { readonly locale: string; readonly texts: Texts; readonly updated_at: Date };

/** There are as many rows as locales at most. */
export function listOwnWords(db: Queryable, accountId: string): Promise<OwnWordsRow[]> {
  return db.many<OwnWordsRow>(
    sql`select locale, texts, updated_at from page_words where account_id = ${accountId} order by locale`,
  );
}

export async function writeOwnTexts(
  tx: Tx,
  accountId: string,
  locale: string,
  texts: Texts,
  at: Date,
): Promise<void> {
  if (Object.keys(texts).length === 0) {
    await tx.execute(sql`delete from page_words where account_id = ${accountId} and locale = ${locale}`);
    return;
  }
  await tx.execute(sql`
    insert into page_words (account_id, locale, texts, updated_at)
    values (${accountId}, ${locale}, ${JSON.stringify(texts)}::jsonb, ${at})
    on conflict (account_id, locale) do update set texts = excluded.texts, updated_at = excluded.updated_at`);
}
