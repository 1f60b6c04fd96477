/** Makes the links of a mail that was sent, without sending any: a source whose revision has three links, and tokens of its recipients. */
import { createAccount } from "../../src/accounts/accounts.ts";
import { createLinkTokens } from "../../src/messages/messages.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { agreeOnSecrets } from "../../src/platform/instance.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { SECRET_KEY } from "../harness/service.ts";

const LINKS = [0, 1, 2];

/** Returns the path of one link for each of so many recipients. */
export async function makeLinks(databaseUrl: string, people: number): Promise<readonly string[]> {
  return withDb(databaseUrl, async (db) => {
    const { linkKey } = await agreeOnSecrets(db, createSecrets([SECRET_KEY]));
    const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Bench" }));
    const accountId = account.account_id;
    const [sourceId, revisionId] = [newId(systemClock), newId(systemClock)];
    const links = LINKS.map((index) => ({ index, url: `https://example.com/${index}`, isDynamic: false }));
    await db.execute(sql`
      insert into revisions (account_id, id, digest, content, created_at)
      values (${accountId}, ${revisionId}, ''::bytea, ${JSON.stringify({ compiled: { links } })}::jsonb, now())`);
    await db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, on_ambiguous, launched_at)
      values (${accountId}, ${sourceId}, ${sourceId}, 'campaign', ${sourceId}, 'finished', ${revisionId}, 'resend', now())`);
    const tokenOf = createLinkTokens(linkKey).makerFor(accountId, sourceId);
    return Array.from({ length: people }, (_, n) => `/c/${tokenOf(newId(systemClock))}/${n % LINKS.length}`);
  });
}

export async function withDb<T>(connection: string, work: (db: Db) => Promise<T>): Promise<T> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const db = createDb({ connection, poolSize: 4, applicationName: "bench", log, statementTimeoutMs: 60_000 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}
