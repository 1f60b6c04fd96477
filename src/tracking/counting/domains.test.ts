import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type Bench, createBench } from "../../../test/support/delivery.ts";
import { sql } from "../../platform/db/db.ts";
import { newId } from "../../platform/ids.ts";
import { insertHits } from "../hits/hit-store.ts";
import type { Hit } from "../hits/hits.ts";
import { askedOfOthers } from "./counter.fixture.ts";
import { countSlice } from "./counter.ts";
import { MOST_DOMAINS } from "./domains.ts";
import { readDomainSums } from "./read-sums.ts";

let bench: Bench;
let sourceId: string;
let contacts: Map<string, string>;
before(async () => {
  bench = await createBench();
});
after(() => bench.stop());

/** Each test has a list and a source of its own, with four people at three domains. */
async function addSource(): Promise<void> {
  const listId = await bench.addList();
  const tag = listId.slice(-8);
  const emails = ["a@large", "b@large", "c@small", "d@other"].map((one) => `${one}.${tag}.example`);
  await bench.addSubscribers(emails, listId);
  sourceId = await bench.launch({ audience: { listId, segmentId: null } });
  await bench.db.execute(sql`
    insert into deliveries (account_id, source_id, contact_id, subscriber_id, stream, transport_id, state, attempt, changed_at)
    select account_id, ${sourceId}, contact_id, id, 'campaign', ${sourceId}, 'sent', 1, now()
    from subscribers where list_id = ${listId}`);
  const rows = await bench.db.many<{ name: string; id: string }>(sql`
    select left(email, 1) as name, contact_id as id from subscribers where list_id = ${listId}`);
  contacts = new Map(rows.map(({ name, id }) => [name, id]));
  domainOf = (name) => `${name}.${tag}.example`;
}
let domainOf: (name: string) => string;

const hit = (name: string, link: number | null = null, userAgent = "a person"): Hit => ({
  accountId: bench.accountId,
  sourceId,
  contactId: contacts.get(name) ?? null,
  link,
  at: new Date(Date.now() - 60_000 + Math.floor(Math.random() * 30_000)),
  times: 1,
  isHead: false,
  isPrefetch: false,
  hasFrom: false,
  userAgent,
  address: "192.0.2.1",
});

async function count(...hits: Hit[]): Promise<void> {
  const { db, clock, log } = bench;
  await insertHits(db, { id: newId(clock), hits }, clock.now());
  assert.equal(await countSlice({ db, clock, log, ...askedOfOthers }, 0), hits.length);
}

/** Opens, openers in person, clicks, and clickers, by domain. */
async function sums(): Promise<Record<string, number[]>> {
  const { byDomain } = await readDomainSums(bench.db, bench.accountId, [sourceId]);
  return Object.fromEntries(
    [...byDomain].map(([domain, one]) => [domain, [one.opens, one.humanOpeners, one.clicks, one.clickers]]),
  );
}

/** Counts once more what is kept of each hit, by the domain that each message is counted under. */
async function recount(): Promise<Record<string, number[]>> {
  const rows = await bench.db.many<{ domain: string; counts: number[] }>(sql`
    select domain, array[sum(opens), sum(least(human_opens, 1)), sum(clicks), sum(least(clicks, 1))]::int[] as counts from (
      select coalesce(m.domain, '') as domain,
             case when c.pixels = 0 then least(c.clicks, 1) else c.pixels end as opens,
             case when c.human_pixels = 0 then least(c.human_clicks, 1) else c.human_pixels end as human_opens, c.clicks
      from (
        select contact_id,
               coalesce(sum(times) filter (where link < 0), 0) as pixels,
               coalesce(sum(times) filter (where link < 0 and machine = ''), 0) as human_pixels,
               coalesce(sum(times) filter (where link >= 0), 0) as clicks,
               coalesce(sum(times) filter (where link >= 0 and machine = ''), 0) as human_clicks
        from counted_hits where source_id = ${sourceId} group by contact_id
      ) as c join message_engagements m on m.source_id = ${sourceId} and m.contact_id = c.contact_id
    ) as each group by domain`);
  return Object.fromEntries(rows.map(({ domain, counts }) => [domain, counts]));
}

describe("the sums of a recipient domain", () => {
  beforeEach(addSource);

  it("have the opens and clicks of its recipients, people apart from machines", async () => {
    await count(hit("a"), hit("a"), hit("b", null, "a machine"), hit("c", 0), hit("d", 1, "a machine"));
    assert.deepEqual(await sums(), {
      [domainOf("large")]: [3, 1, 0, 0],
      [domainOf("small")]: [1, 1, 1, 1],
      [domainOf("other")]: [1, 0, 1, 1],
    });
  });

  it("equal a recount after every slice, and all of them the sums of the source", async () => {
    const pick = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T;
    for (let round = 0; round < 6; round++) {
      const some = Array.from({ length: 1 + Math.floor(Math.random() * 12) }, () =>
        hit(pick(["a", "b", "c", "d"]), pick([null, null, 0, 1]), pick(["a person", "a machine"])),
      );
      await count(...some);
      assert.deepEqual(await sums(), await recount());
      const { totals, byDomain } = await readDomainSums(bench.db, bench.accountId, [sourceId]);
      for (const key of ["opens", "humanOpeners", "clicks", "humanClickers"] as const)
        assert.equal(
          [...byDomain.values()].reduce((sum, one) => sum + one[key], 0),
          totals[key],
        );
    }
  });

  it("keep a message where it was first counted, also when its subscriber is deleted", async () => {
    await count(hit("a"));
    await bench.db.execute(
      sql`delete from subscribers where contact_id in (${contacts.get("a")}, ${contacts.get("b")})`,
    );
    await count(hit("a", 0), hit("b"));
    assert.deepEqual(await sums(), { [domainOf("large")]: [1, 1, 1, 1], "": [1, 1, 0, 0] });
  });

  it("are no more than so many, but those of the largest domains are always there", async () => {
    await bench.db.execute(sql`
      insert into engagement_sums (account_id, source_id, part, opens, openers, human_opens, human_openers, clicks, clickers,
                                   human_clicks, human_clickers, first_at, last_at)
      select ${bench.accountId}, ${sourceId}, 'domain n' || n || '.example', 0, 0, 0, 0, 0, 0, 0, 0, now(), now()
      from generate_series(2, ${MOST_DOMAINS}::int) as n`);
    await bench.db.execute(sql`
      insert into source_domains (account_id, source_id, domain, recipients, sent, deferred, failed, unknown, skipped, hard, soft,
                                  block, counted_at)
      values (${bench.accountId}, ${sourceId}, ${domainOf("large")}, 2, 2, 0, 0, 0, 0, 0, 0, 0, now())`);
    await count(hit("c"));
    await count(hit("d"));
    await count(hit("a"), hit("c"), hit("d"));
    const counted = Object.entries(await sums()).filter(([, [opens = 0]]) => opens > 0);
    assert.deepEqual(Object.fromEntries(counted), {
      "": [2, 1, 0, 0],
      [domainOf("large")]: [1, 1, 0, 0],
      [domainOf("small")]: [2, 1, 0, 0],
    });
  });

  it("take in a message whole that was counted before domains were", async () => {
    await count(hit("a"));
    await bench.db.execute(sql`update message_engagements set domain = null where source_id = ${sourceId}`);
    await bench.db.execute(
      sql`delete from engagement_sums where source_id = ${sourceId} and part ^@ 'domain '`,
    );
    await count(hit("a"));
    assert.deepEqual(await sums(), await recount());
  });
});
