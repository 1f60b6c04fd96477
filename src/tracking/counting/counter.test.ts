import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { until } from "../../../test/support/until.ts";
import { systemClock } from "../../platform/clock.ts";
import { createDb, type Db, sql } from "../../platform/db/db.ts";
import { DbError } from "../../platform/db/errors.ts";
import { newId } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { insertHitGroups, insertHits } from "../hits/hit-store.ts";
import type { Hit } from "../hits/hits.ts";
import { NO_SUMS, type Sums } from "./count.ts";
import { readTotals } from "./count-store.ts";
import { askedOfOthers } from "./counter.fixture.ts";
import { countSlice, startCounter } from "./counter.ts";
import { makeAnonymous } from "./forget-people.ts";
import { readDomainSums, readLinkSums, readQuarterSums, readUrlSums } from "./read-sums.ts";

const log = createLog({ level: "silent", pretty: false });
const clock = systemClock;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
before(async () => {
  database = await cloneDatabase();
  db = createDb({
    connection: database.url,
    poolSize: 4,
    applicationName: "test",
    log,
    statementTimeoutMs: 30_000,
  });
});
after(async () => {
  await db.close();
  await database.drop();
});

const [accountId, sourceId] = [newId(clock), newId(clock)];
const people = Array.from({ length: 40 }, () => newId(clock));
const START_MS = Date.UTC(2026, 10, 15, 10);

function randomHit(): Hit {
  const pick = <T>(all: readonly T[]) => all[Math.floor(Math.random() * all.length)] as T;
  return {
    accountId,
    sourceId,
    contactId: Math.random() < 0.05 ? null : pick(people),
    link: pick([null, null, 0, 1, 2]),
    at: new Date(START_MS + Math.floor(Math.random() * 3_600_000)),
    times: pick([1, 1, 1, 3]),
    isHead: false,
    isPrefetch: false,
    hasFrom: false,
    userAgent: pick(["a person", "a person", "a machine"]),
    address: "192.0.2.1",
  };
}

/** Links 0 and 2 have one address. */
const links = { honeypot: null, sharedBy: (link: number) => (link === 1 ? undefined : 0) };
const countedLinks = async () => new Map([[sourceId, links]]);
const options = () => ({ db, clock, log, ...askedOfOthers, countedLinks });

/** Counts everything once more, from what was kept of each hit. */
function recount() {
  return db.many(sql`
    with raw as (
      select contact_id, coalesce(sum(times) filter (where link = -1), 0)::int as pixels,
             coalesce(sum(times) filter (where link = -1 and machine = ''), 0)::int as human_pixels,
             coalesce(sum(times) filter (where link >= 0), 0)::int as clicks,
             coalesce(sum(times) filter (where link >= 0 and machine = ''), 0)::int as human_clicks
      from counted_hits where source_id = ${sourceId} group by contact_id
    ), each as (
      select contact_id <> '00000000-0000-0000-0000-000000000000' as is_known,
             case when pixels > 0 then pixels
                  when contact_id = '00000000-0000-0000-0000-000000000000' then 0 else least(clicks, 1) end as opens,
             case when human_pixels > 0 then human_pixels
                  when contact_id = '00000000-0000-0000-0000-000000000000' then 0 else least(human_clicks, 1) end as human_opens,
             clicks, human_clicks
      from raw
    )
    select sum(opens)::int as opens, count(*) filter (where is_known and opens > 0)::int as openers,
           sum(human_opens)::int as "humanOpens", count(*) filter (where is_known and human_opens > 0)::int as "humanOpeners",
           sum(clicks)::int as clicks, count(*) filter (where is_known and clicks > 0)::int as clickers,
           sum(human_clicks)::int as "humanClicks",
           count(*) filter (where is_known and human_clicks > 0)::int as "humanClickers"
    from each`);
}

/** Counts the clicks on some links once more: of each by itself, or of all of them as one address. */
function recountLinks(numbers: readonly number[]) {
  return db.one(sql`
    with each as (
      select contact_id <> '00000000-0000-0000-0000-000000000000' as is_known, sum(times)::int as clicks,
             coalesce(sum(times) filter (where machine = ''), 0)::int as human_clicks
      from counted_hits where source_id = ${sourceId} and link = any(${[...numbers]}::int[]) group by contact_id
    )
    select sum(clicks)::int as clicks, count(*) filter (where is_known)::int as clickers,
           sum(human_clicks)::int as "humanClicks",
           count(*) filter (where is_known and human_clicks > 0)::int as "humanClickers"
    from each`);
}

function clicksOf(sums: Sums | undefined) {
  const { clicks, clickers, humanClicks, humanClickers } = sums ?? NO_SUMS;
  return { clicks, clickers, humanClicks, humanClickers };
}

describe("counting", () => {
  it("equals a recount after every slice, in whatever groups the hits came", async () => {
    for (let round = 0; round < 5; round++) {
      for (let group = 0; group < 4; group++) {
        const hits = Array.from({ length: 50 + Math.floor(Math.random() * 100) }, randomHit);
        await insertHits(db, { id: newId(clock), hits }, clock.now());
      }
      await countSlice(options(), 0);
      const {
        firstAt: _first,
        lastAt: _last,
        lastClickAt: _click,
        ...sums
      } = await readTotals(db, accountId, [sourceId]);
      assert.deepEqual([sums], await recount());
      const ofLinks = await readLinkSums(db, accountId, sourceId);
      for (const link of [0, 1, 2]) {
        assert.deepEqual(clicksOf(ofLinks.get(link)), await recountLinks([link]), `link ${link}`);
      }
      const ofUrls = await readUrlSums(db, accountId, sourceId);
      assert.deepEqual([...ofUrls.keys()], [0]);
      assert.deepEqual(clicksOf(ofUrls.get(0)), await recountLinks([0, 2]), "links 0 and 2 as one");
    }
    const { left } = await db.one<{ left: number }>(sql`select count(*)::int as left from hits`);
    assert.equal(left, 0);
  });

  it("equals a recount after somebody's name was taken off, and leaves nothing of them", async () => {
    const hits = Array.from({ length: 300 }, randomHit);
    await insertHits(db, { id: newId(clock), hits }, clock.now());
    await countSlice(options(), 0);
    const quarters = await readQuarterSums(db, accountId, [sourceId]);
    const gone = people.slice(5, 15).map((contactId) => ({ accountId, sourceId, contactId }));
    await db.transaction((tx) => makeAnonymous(tx, gone, countedLinks));
    const { firstAt: _f, lastAt: _l, lastClickAt: _c, ...sums } = await readTotals(db, accountId, [sourceId]);
    assert.deepEqual([sums], await recount());
    const links = await readLinkSums(db, accountId, sourceId);
    const kept = await db.many<{ link: number; clickers: number; clicks: number }>(sql`
      select link, count(distinct contact_id) filter (where contact_id <> '00000000-0000-0000-0000-000000000000')::int
               as clickers, sum(times)::int as clicks
      from counted_hits where source_id = ${sourceId} and link >= 0 group by link order by link`);
    assert.deepEqual(
      kept,
      [...links].map(([link, { clickers, clicks }]) => ({ link, clickers, clicks })),
    );
    assert.deepEqual(await readQuarterSums(db, accountId, [sourceId]), quarters);
    const ofUrls = await readUrlSums(db, accountId, sourceId);
    assert.deepEqual(clicksOf(ofUrls.get(0)), await recountLinks([0, 2]), "links 0 and 2 as one");
    const { byDomain } = await readDomainSums(db, accountId, [sourceId]);
    assert.deepEqual([byDomain.get("")?.openers, byDomain.get("")?.clickers], [sums.openers, sums.clickers]);
    const { left } = await db.one<{ left: number }>(sql`
      select (select count(*) from counted_hits where contact_id = any(${people.slice(5, 15)}::uuid[]))::int
           + (select count(*) from message_engagements where contact_id = any(${people.slice(5, 15)}::uuid[]))::int
           + (select count(*) from link_engagements where contact_id = any(${people.slice(5, 15)}::uuid[]))::int as left`);
    assert.equal(left, 0);
  });

  it("takes a group once, however often it is stored", async () => {
    const group = { id: newId(clock), hits: [randomHit()] };
    for (let n = 0; n < 3; n++) await insertHits(db, group, clock.now());
    assert.equal(await countSlice(options(), 0), 1);
  });

  it("takes each group of many once, also where one was stored before or comes twice", async () => {
    const groups = [1, 2, 3].map((count) => ({
      id: newId(clock),
      hits: Array.from({ length: count }, () => randomHit()),
    }));
    const [first, second, third] = groups;
    assert.ok(first && second && third);
    await insertHits(db, second, clock.now());
    await insertHitGroups(db, [first, second, first, third], clock.now());
    await insertHitGroups(db, groups, clock.now());
    assert.equal(await countSlice(options(), 0), 6);
  });

  it("that fails leaves every hit where it was, and another counts it", async () => {
    await insertHits(db, { id: newId(clock), hits: [randomHit(), randomHit()] }, clock.now());
    const failing = async () => {
      throw new Error("the process dies here");
    };
    await assert.rejects(countSlice({ ...options(), classify: failing }, 0), /dies here/);
    assert.equal(await countSlice(options(), 0), 2);
  });

  it("is done by one at a time", async () => {
    await insertHits(db, { id: newId(clock), hits: [randomHit()] }, clock.now());
    const counted = await Promise.all([1, 2, 3].map(() => countSlice(options(), 0)));
    assert.equal(
      counted.reduce((sum, one) => sum + one),
      1,
    );
  });

  it("lets hits settle before they are judged", async () => {
    await insertHits(
      db,
      { id: newId(clock), hits: [{ ...randomHit(), contactId: people[0] ?? null, at: clock.now() }] },
      clock.now(),
    );
    assert.equal(await countSlice(options(), 30_000), 0);
    assert.equal(await countSlice(options(), -1_000), 1);
  });

  it("takes hits of nobody in particular at once and in bounded numbers, however many belong to a source", async () => {
    const hits = Array.from(
      { length: 22_000 },
      (_, n): Hit => ({
        ...randomHit(),
        contactId: null,
        at: clock.now(),
        address: `192.0.2.${n % 250}`,
      }),
    );
    await insertHits(db, { id: newId(clock), hits }, clock.now());
    const somebodys = { ...randomHit(), contactId: people[1] ?? null, at: clock.now() };
    await insertHits(db, { id: newId(clock), hits: [somebodys] }, clock.now());
    const counted = [await countSlice(options()), await countSlice(options()), await countSlice(options())];
    assert.deepEqual(counted, [20_000, 2_000, 0]);
    assert.equal(await countSlice(options(), -1_000), 1);
  });

  it("gets through a backlog of several slices, and leaves what has not settled", async () => {
    const many = newId(clock);
    const contacts = Array.from({ length: 45_000 }, () => newId(clock));
    const old = new Date(clock.now().getTime() - 3_600_000);
    const hitOf = (contactId: string, at: Date, link: number | null = null): Hit => ({
      ...randomHit(),
      sourceId: many,
      contactId,
      link,
      at,
      times: 1,
      userAgent: "a person",
    });
    const opened = contacts.map((contactId) => hitOf(contactId, old));
    // They stand far from the first hits of the same messages.
    const clicked = contacts.slice(0, 5_000).map((contactId) => hitOf(contactId, old, 0));
    const fresh = hitOf(newId(clock), new Date(clock.now().getTime() + 600_000));
    for (const hits of [opened, clicked, [fresh]])
      await insertHits(db, { id: newId(clock), hits }, clock.now());
    const judged: string[][] = [];
    const noting = {
      ...options(),
      classify: async (_tx: unknown, hits: readonly Hit[]) => {
        judged.push(hits.map(({ contactId }) => contactId ?? ""));
        return hits.map(() => "");
      },
    };
    const counted: number[] = [];
    do counted.push(await countSlice(noting));
    while (counted.at(-1) !== 0);
    assert.equal(counted.length, 4);
    assert.equal(
      counted.reduce((sum, one) => sum + one),
      50_000,
    );
    assert.ok(counted.every((count) => count <= 20_001));
    // All hits of a message are in one slice.
    assert.equal(
      judged.reduce((sum, slice) => sum + new Set(slice).size, 0),
      45_000,
    );
    const { openers, clickers } = await readTotals(db, accountId, [many]);
    assert.deepEqual([openers, clickers], [45_000, 5_000]);
    assert.equal(await countSlice(options(), -601_000), 1);
  });

  it("is left to this release: one of the release before finds the inbox locked", async () => {
    await insertHits(db, { id: newId(clock), hits: [randomHit()] }, clock.now());
    const older = db.transaction(async (tx) => {
      await tx.one(sql`select pg_try_advisory_xact_lock(hashtext('postrider count hits')) as mine`);
      return tx.many(
        sql`with taken as (delete from hits where times > 0 returning *) select count(*) from taken`,
      );
    });
    await assert.rejects(older, { name: "DbError", kind: "busy", sqlState: "55P03" });
    assert.equal(await countSlice(options(), 0), 1);
  });

  it("that the database is too busy for is said once, and people are forgotten all the same", async () => {
    const contactId = people[2] ?? null;
    await insertHits(
      db,
      { id: newId(clock), hits: [{ ...randomHit(), contactId, at: new Date(START_MS) }] },
      clock.now(),
    );
    await db.execute(sql`
      insert into tracking_withdrawals (account_id, contact_id, list_id, created_at)
      values (${accountId}, ${contactId}, ${newId(clock)}, now())`);
    const lines: string[] = [];
    let tries = 0;
    const counter = startCounter({
      ...options(),
      clock: { ...clock, now: () => new Date(START_MS + 60_000) },
      log: createLog({ level: "warn", pretty: false, destination: { write: (line) => lines.push(line) } }),
      classify: async () => {
        tries += 1;
        throw new DbError("busy", "canceling statement due to statement timeout", "57014");
      },
    });
    const waiting = () =>
      db.one<{ n: number }>(sql`select count(*)::int as n from tracking_withdrawals`).then(({ n }) => n);
    await until(async () => tries >= 3 && (await waiting()) === 0);
    await counter.stop();
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /could not be counted in time/);
    assert.equal(await countSlice(options(), 0), 1);
  });

  it("takes all hits of a message together, once the last of them has settled", async () => {
    const nowMs = clock.now().getTime();
    const early = { ...randomHit(), contactId: people[0] ?? null, at: new Date(nowMs - 12_000) };
    const late = { ...early, link: 1, at: new Date(nowMs - 5_000) };
    await insertHits(db, { id: newId(clock), hits: [early, late] }, clock.now());
    assert.equal(await countSlice(options(), 10_000), 0);
    assert.equal(await countSlice(options(), 4_000), 2);
  });
});
