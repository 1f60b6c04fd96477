import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { explainAll } from "../../../test/support/query-plans.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { type Addressee, listMailsTo, type MailTo } from "./mails.ts";

const SOURCES = 1_000;
const CONTACTS = 50;
const LONG_AGO = new Date(0);

describe("the mails of one subscriber, on a ledger that was never analysed", () => {
  let bench: Bench;
  let often: Addressee;
  let rarely: Addressee;
  before(async () => {
    bench = await createBench();
    const listId = await bench.addList();
    const other = await bench.addList();
    const ids = await bench.addSubscribers(
      Array.from({ length: CONTACTS }, (_, n) => `p${n}@mails.example`),
      listId,
    );
    const rows = await bench.db.many<{ id: string; contact_id: string }>(
      sql`select id, contact_id from subscribers where list_id = ${listId} order by email_key`,
    );
    assert.equal(rows.length, ids.length);
    const [first, second] = rows.map(({ id, contact_id }) => ({
      subscriberId: id,
      contactId: contact_id,
      listId,
      since: LONG_AGO,
    }));
    assert.ok(first && second);
    [often, rarely] = [first, second];
    await bench.db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, state, revision_id, list_id, on_ambiguous, launched_at)
      select ${bench.accountId}, id, id, 'campaign', 'finished', id, case n % 2 when 0 then ${listId}::uuid else ${other}::uuid end,
        'resend', now() - interval '1 hour' * n
      from unnest(${Array.from({ length: SOURCES }, () => newId(bench.clock))}::uuid[]) with ordinality as new (id, n)`);
    await bench.db.execute(sql`
      insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at,
        code)
      select src.account_id, src.id, s.contact_id, s.id, 'campaign', src.transport_id, 'sent', 1, src.launched_at, 250
      from (select *, row_number() over (order by launched_at) as n from sources where list_id = ${listId}) src
      join subscribers s on s.list_id = ${listId} and (s.id <> ${rarely.subscriberId} or src.n % 100 = 0)`);
  });
  after(() => bench.stop());

  const list = (db: Queryable, who: Addressee, limit: number, after?: MailTo) =>
    listMailsTo(
      db,
      bench.accountId,
      who,
      limit,
      after && { createdAt: after.launchedAt.toISOString(), id: after.sourceId },
    );

  it("come in the order of launches, page by page, each once", async () => {
    const all = await list(bench.db, often, SOURCES);
    assert.equal(all.length, SOURCES / 2);
    assert.deepEqual(
      all,
      all.toSorted((a, b) => b.launchedAt.getTime() - a.launchedAt.getTime()),
    );
    const paged: MailTo[] = [];
    for (;;) {
      const page = await list(bench.db, often, 70, paged.at(-1));
      if (page.length === 0) break;
      paged.push(...page);
    }
    assert.deepEqual(paged, all);
    assert.equal((await list(bench.db, rarely, 50)).length, 5);
    const since = all[9]?.launchedAt ?? LONG_AGO;
    assert.equal((await list(bench.db, { ...often, since }, 50)).length, 10);
  });

  it("read no more of the ledger than a row a campaign", async () => {
    assert.ok((await rowsRead(often, 51)) <= 51);
    assert.ok((await rowsRead(rarely, 51)) <= SOURCES / 2);
  });

  /** Counts the lookups in the ledger, and fails if a plan reads it by anything but its key. */
  async function rowsRead(who: Addressee, limit: number): Promise<number> {
    let asked = 0;
    for (const step of await explainAll(bench.db, (noting) => list(noting, who, limit))) {
      const relation = step["Relation Name"] ?? "";
      if (relation.startsWith("deliveries")) {
        assert.notEqual(step["Node Type"], "Seq Scan");
        asked += step["Actual Loops"];
      }
      if (relation === "sources") assert.notEqual(step["Node Type"], "Seq Scan");
    }
    return asked;
  }
});
