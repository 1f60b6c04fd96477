/** On many mails: whatever is asked for is read by an index, and little more than a page shows, with and without statistics. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type BigAccount, createBigAccount, explainAll, rowsOf } from "../../../test/support/query-plans.ts";
import { type Db, sql } from "../../platform/db/db.ts";
import { createSecrets } from "../../platform/secrets.ts";
import type { EmailQuery } from "../schema.ts";
import { digestOf } from "../sealed.ts";
import { readFilter } from "./filter.ts";
import { listEmails } from "./search.ts";

const ROWS = 30_000;
const LIMIT = 51;
const WAVE = "019a0000-0000-7000-8000-000000000000";
const secrets = createSecrets(["a secret key for tests of 32 characters or more"]);

let big: BigAccount;
let db: Db;
let accountId: string;
before(async () => {
  big = await createBigAccount();
  ({ db, accountId } = big);
  const tag = digestOf(secrets, accountId, { kind: "tag", tag: "receipt" });
  const to = digestOf(secrets, accountId, { kind: "to", key: "ada@example.com" });
  await db.execute(sql`
    insert into sources (account_id, id, owner_id, stream, state, revision_id, is_given, on_ambiguous, launched_at)
    values (${accountId}, ${WAVE}, ${accountId}, 'transactional', 'running', ${WAVE}, true, 'resend', now())`);
  const id = sql`('019a0000-' || lpad(to_hex(n / 65536), 4, '0') || '-7000-8000-0000' || lpad(to_hex(n % 65536), 6, '0') || '00')::uuid`;
  const recipient = sql`(left(${id}::text, 34) || '01')::uuid`;
  const all = sql`generate_series(1, ${ROWS}::int) as n`;
  await db.execute(sql`alter table emails_default set (autovacuum_enabled = off)`);
  await db.execute(sql`alter table email_terms_default set (autovacuum_enabled = off)`);
  await db.execute(sql`
    insert into emails (account_id, id, content_id, wave_id, recipients, attachments, created_at, updated_at)
    select ${accountId}, ${id}, ${id}, ${WAVE}, 1, 0, now(), now() from ${all}`);
  await db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, stream, transport_id, state, changed_at)
    select ${accountId}, ${WAVE}, ${recipient}, 'transactional', ${WAVE},
           case when n % 100 = 0 then 'failed' else 'sent' end, now() from ${all}`);
  await db.execute(sql`
    insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
    select ${accountId}, ${WAVE}, 'failed', ${recipient}, 1, 'hard_bounce', now() from ${all} where n % 100 = 0`);
  await db.execute(sql`
    insert into email_terms (account_id, term, email_id) select ${accountId}::uuid, ${tag}::uuid, ${id} from ${all}
    union all select ${accountId}::uuid, ${to}::uuid, ${id} from ${all} where n % 1000 = 0`);
});
after(() => big?.stop());

/** Returns the most rows that any step of the search reads. */
async function mostRows(query: Partial<EmailQuery>): Promise<number> {
  const page = { limit: LIMIT, after: undefined };
  const steps = await explainAll(db, (noting) =>
    listEmails(noting, accountId, readFilter(accountId, secrets, query), page),
  );
  assert.ok(steps.length > 0);
  return Math.max(...steps.map(rowsOf));
}

const SEARCHES: readonly (readonly [Partial<EmailQuery>, most: number])[] = [
  [{}, LIMIT],
  [{ to: "ada@example.com" }, LIMIT],
  [{ to: "ada@example.com", tag: "receipt" }, LIMIT],
  [{ tag: "receipt" }, LIMIT],
  [{ tag: "receipt", status: "sent" }, 2 * LIMIT],
  [{ status: "sent" }, 2 * LIMIT],
  [{ status: "bounced" }, ROWS / 100],
  [{ status: "bounced", to: "ada@example.com" }, LIMIT],
  [{ status: "scheduled" }, LIMIT],
  [{ status: "canceled" }, LIMIT],
  [{ status: "complained" }, LIMIT],
  [{ created_before: "2025-01-01T00:00:00.000Z" }, LIMIT],
  // A page that is open asks now and then whether there are newer ones.
  [{ created_after: "2099-01-01T00:00:00.000Z" }, LIMIT],
  [{ created_after: "2099-01-01T00:00:00.000Z", tag: "receipt", status: "sent" }, LIMIT],
  [{ created_after: "2099-01-01T00:00:00.000Z", status: "bounced" }, LIMIT],
];

describe("a page of mails", () => {
  for (const isAnalysed of [false, true]) {
    for (const [query, most] of SEARCHES) {
      it(`by ${JSON.stringify(query)} reads little ${isAnalysed ? "with" : "without"} statistics`, async () => {
        if (isAnalysed) await db.execute(sql`analyze emails, email_terms, deliveries, delivery_errors`);
        const rows = await mostRows(query);
        assert.ok(rows <= most + 1, `${rows} rows`);
      });
    }
  }
});
