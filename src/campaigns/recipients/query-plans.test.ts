/**
 * On a large source, in which those who are asked for are few: a page of each event reads by an index and no more rows than it shows,
 * whether the server has statistics of the tables or not. So does a page of what one person did.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { explainAll, rowsOf } from "../../../test/support/query-plans.ts";
import { listOccurrences, readRecipients } from "../../delivery/delivery.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import { listEngaged, listEngagementsOf } from "../../tracking/tracking.ts";

const ROWS = 60_000;
/** One in so many opened in person, clicked, left or bounced. */
const RARE = 500;
const LIMIT = 51;

let bench: Bench;
let sourceId: string;
const TABLES = sql`deliveries, delivery_errors, source_unsubscribes, source_feedback, message_engagements,
  link_engagements`;
before(async () => {
  bench = await createBench();
  sourceId = await bench.launch();
  await bench.addSubscribers(Array.from({ length: 3_000 }, (_, n) => `p${n}@example.com`));
  const { db, accountId } = bench;
  const ids = sql`select ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as contact_id, n
    from generate_series(1, ${ROWS}::int) as n`;
  await db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
    select ${accountId}, ${sourceId}, contact_id, contact_id, 'campaign', ${sourceId}, 'sent', 1, now() from (${ids}) as x`);
  await db.execute(sql`
    insert into delivery_errors (account_id, source_id, state, contact_id, attempt, why, at)
    select ${accountId}, ${sourceId}, 'failed', contact_id, 1,
           case when n % ${RARE}::int = 0 then 'hard_bounce' else 'expired' end, now() from (${ids}) as x`);
  await db.execute(sql`
    insert into source_unsubscribes (account_id, source_id, contact_id, at)
    select ${accountId}, ${sourceId}, contact_id, now() from (${ids}) as x where n % ${RARE}::int = 0`);
  // Some more came back later, and as many again complained.
  await db.execute(sql`
    insert into source_feedback (account_id, source_id, kind, contact_id, mailed_at, at)
    select ${accountId}, ${sourceId}, kind, contact_id, now(), now()
    from (${ids}) as x, unnest(array['hard_bounce', 'complaint']) as kind where n % ${RARE}::int = 1`);
  await db.execute(sql`
    insert into message_engagements (account_id, source_id, contact_id, pixels, human_pixels, clicks, human_clicks, first_at,
                                     last_at, first_click_at, first_human_at, first_human_click_at)
    select ${accountId}, ${sourceId}, contact_id, 1, human, human, human, now(), now(),
           case when human > 0 then now() end, case when human > 0 then now() end, case when human > 0 then now() end
    from (select *, case when n % ${RARE}::int = 0 then 1 else 0 end as human from (${ids}) as x) as x`);
  await db.execute(sql`
    insert into link_engagements (account_id, source_id, contact_id, link, clicks, human_clicks, first_at)
    select ${accountId}, ${sourceId}, contact_id, link, 1, 1, now() from (${ids}) as x, generate_series(0, 1) as link
    where n % ${RARE}::int = 0`);
});
after(() => bench.stop());

/** Explains what `work` asks, and returns the most rows that any step read of a table. */
async function mostRows(work: (db: Queryable) => Promise<unknown>): Promise<number> {
  const reading = (await explainAll(bench.db, work)).filter(
    (step) => step["Relation Name"] && rowsOf(step) > 0,
  );
  // An empty partition may be read as it is.
  for (const step of reading) assert.notEqual(step["Node Type"], "Seq Scan", JSON.stringify(step));
  return Math.max(0, ...reading.map(rowsOf));
}

const idOf = (n: number) => `00000000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
const MIDDLE = idOf(ROWS / 2);
const person = {
  contactId: idOf(RARE),
  subscriberId: idOf(RARE),
  since: new Date(0),
};

function holdPlans(): void {
  for (const after of [undefined, MIDDLE]) {
    const page = { limit: LIMIT, after };
    const where = after ? "the middle" : "the beginning";
    for (const event of ["sent", "failed", "bounced", "complained", "unsubscribed"] as const) {
      it(`${event}, from ${where}`, async () => {
        const rows = await mostRows((db) => listOccurrences(db, bench.accountId, sourceId, event, page));
        assert.ok(rows > 0 && rows <= LIMIT, `${rows} rows`);
      });
    }
    for (const kind of ["opened", "clicked"] as const) {
      for (const includeMachines of [false, true]) {
        it(`${kind}${includeMachines ? ", machines included" : ""}, from ${where}`, async () => {
          const rows = await mostRows((db) =>
            listEngaged(db, bench.accountId, sourceId, kind, { includeMachines, ...page }),
          );
          assert.ok(rows > 0 && rows <= LIMIT, `${rows} rows`);
        });
      }
    }
  }

  it("the ledger's rows of a page", async () => {
    const contactIds = Array.from({ length: LIMIT }, (_, n) => idOf((n + 1) * RARE));
    const some = contactIds.map((contactId) => ({ sourceId, contactId }));
    const rows = await mostRows((db) => readRecipients(db, bench.accountId, some));
    assert.ok(rows > 0 && rows <= LIMIT, `${rows} rows`);
  });

  it("what one person did", async () => {
    const before = { createdAt: new Date(Date.now() + 60_000).toISOString(), id: MIDDLE };
    for (const place of [undefined, before]) {
      const rows = await mostRows((db) => listEngagementsOf(db, bench.accountId, person, LIMIT, place));
      assert.ok(rows > 0 && rows <= 3, `${rows} rows`);
    }
  });
}

describe("pages of recipients without statistics", holdPlans);
describe("pages of recipients with statistics", () => {
  before(() => bench.db.execute(sql`analyze ${TABLES}`));
  holdPlans();
});
