import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { readCounts } from "../../delivery/delivery.ts";
import { sql } from "../../platform/db/db.ts";
import { comeBack, createActingBench, type Mail } from "../acting/acting.fixture.ts";
import { listReports } from "../acting/acting.ts";
import { dismissStorm, releaseStorm } from "./storms.ts";

const HOUR_MS = 3_600_000;

describe("a storm of bounces", () => {
  let made: Awaited<ReturnType<typeof createActingBench>>;
  let domains = 0;
  before(async () => {
    made = await createActingBench();
  });
  after(() => made.bench.stop());

  async function mailDomain(count: number): Promise<{ domain: string; mails: Mail[] }> {
    const domain = `storm${++domains}.example`;
    const emails = Array.from({ length: count }, (_, n) => `p${n}@${domain}`);
    return { domain, mails: await made.addMails(emails) };
  }
  const outcomes = async (read: Parameters<typeof made.act>[0]) =>
    (await made.act(read)).map(({ outcome }) => outcome);
  const storms = (domain: string) =>
    made.bench.db.many<{ id: string; state: string; held: number; hard: number; mails: number }>(
      sql`select id, state, held, hard, mails from bounce_storms where domain = ${domain}`,
    );
  const suppressed = async (mails: readonly Mail[]) => {
    const { count } = await made.bench.db.one<{ count: number }>(sql`
      select count(*) as count from suppressions where contact_id = any(${mails.map((one) => one.contactId)}::uuid[])`);
    return count;
  };
  const statuses = async (mails: readonly Mail[]) => {
    const rows = await made.bench.db.many<{ status: string }>(sql`
      select distinct status from subscribers where id = any(${mails.map((one) => one.subscriberId)}::uuid[]) order by 1`);
    return rows.map(({ status }) => status);
  };
  const events = async (type: string, domain: string) =>
    made.bench.db.many(sql`select from events where type = ${type} and data->>'domain' = ${domain}`);

  test("is held from the twentieth bounce on, and takes back what it suppressed before", async () => {
    const { domain, mails } = await mailDomain(40);
    const first = mails.slice(0, 19).map((mail) => comeBack(mail, "hard"));
    assert.ok((await outcomes(first)).every((outcome) => outcome === "suppressed"));
    assert.equal(await suppressed(mails), 19);
    assert.deepEqual(
      await outcomes(mails.slice(19, 25).map((mail) => comeBack(mail, "hard"))),
      Array(6).fill("held"),
    );
    assert.equal(await suppressed(mails), 0);
    assert.deepEqual(await statuses(mails), ["active"]);
    const [storm] = await storms(domain);
    assert.deepEqual({ ...storm, id: "" }, { id: "", state: "open", held: 25, hard: 25, mails: 40 });
    assert.equal((await events("bounces.held", domain)).length, 1);
    const [report] = await listReports(made.bench.db, made.tools.secrets, made.bench.accountId, [
      first[0]?.item.id ?? "",
    ]);
    assert.equal(report?.outcome, "held");
    // The mails did come back, whoever is to blame.
    assert.equal(
      (await readCounts(made.bench.db, made.bench.accountId, mails[0]?.sourceId ?? "")).returned,
      25,
    );
  });

  test("goes on while it lasts, and no longer than an hour of quiet", async () => {
    const { domain, mails } = await mailDomain(40);
    const began = Date.now() - 5 * HOUR_MS;
    const at = (ms: number) => ({ at: new Date(began + ms) });
    await made.act(mails.slice(0, 25).map((mail) => comeBack(mail, "hard", at(0))));
    const [, , third] = mails.slice(25) as [Mail, Mail, Mail];
    assert.deepEqual(await outcomes([comeBack(third, "hard", at(HOUR_MS - 1))]), ["held"]);
    assert.deepEqual(await outcomes([comeBack(mails[26] as Mail, "hard", at(4 * HOUR_MS))]), ["suppressed"]);
    assert.equal((await storms(domain))[0]?.held, 26);
  });

  test("that is released suppresses all of it, and what follows within a day", async () => {
    const { domain, mails } = await mailDomain(40);
    await made.act(mails.slice(0, 25).map((mail) => comeBack(mail, "hard")));
    const [storm] = await storms(domain);
    assert.ok(storm);
    await made.bench.ctx((ctx) => releaseStorm(ctx, storm.id));
    assert.equal(await suppressed(mails.slice(0, 25)), 25);
    assert.deepEqual(await statuses(mails.slice(0, 25)), ["bounced"]);
    assert.deepEqual(await outcomes([comeBack(mails[30] as Mail, "hard")]), ["suppressed"]);
    await assert.rejects(
      made.bench.ctx((ctx) => dismissStorm(ctx, storm.id)),
      /was released before/,
    );
  });

  test("that is dismissed leaves the addresses, and its bounces are soft ones of their campaign", async () => {
    const { domain, mails } = await mailDomain(40);
    await made.act(mails.slice(0, 25).map((mail) => comeBack(mail, "hard")));
    const [storm] = await storms(domain);
    assert.ok(storm);
    await made.bench.ctx((ctx) => dismissStorm(ctx, storm.id));
    assert.equal(await suppressed(mails), 0);
    const { bounces, returned } = await readCounts(
      made.bench.db,
      made.bench.accountId,
      mails[0]?.sourceId ?? "",
    );
    assert.deepEqual(
      { bounces, returned },
      { bounces: { hard: 0, soft: 25, block: 0, total: 25 }, returned: 25 },
    );
    assert.equal((await events("bounces.dismissed", domain)).length, 1);
    const [first] = mails;
    assert.ok(first);
    const [again] = await made.act([comeBack(first, "hard")]);
    assert.equal(again?.outcome, "duplicate");
    assert.equal(await suppressed(mails), 0);
  });

  test("of one account is nothing to its neighbour, and bounces at many domains are none", async () => {
    const emails = Array.from({ length: 30 }, (_, n) => `p${n}@many${n}.example`);
    const mails = await made.addMails(emails);
    assert.ok(
      (await outcomes(mails.map((mail) => comeBack(mail, "hard")))).every((one) => one === "suppressed"),
    );
    const neighbour = await made.bench.addAccount();
    const { domain, mails: own } = await mailDomain(25);
    await made.act(own.map((mail) => comeBack(mail, "hard")));
    const theirs = await made.addMails([`q@${domain}`], { accountId: neighbour });
    const [outcome] = await made.act(
      theirs.map((mail) => comeBack(mail, "hard")),
      neighbour,
    );
    assert.equal(outcome?.outcome, "suppressed");
  });

  test("isn't one where the share is usual", async () => {
    const { domain, mails } = await mailDomain(400);
    // A tenth bounced in another campaign, days ago.
    const earlier = await made.addMails([], { people: mails });
    const daysAgo = new Date(Date.now() - 5 * 24 * HOUR_MS);
    await made.act(earlier.slice(0, 19).map((mail) => comeBack(mail, "hard", { at: daysAgo })));
    await made.act(
      earlier
        .slice(19, 38)
        .map((mail) => comeBack(mail, "hard", { at: new Date(daysAgo.getTime() + 2 * HOUR_MS) })),
    );
    const now = mails.slice(100, 140).map((mail) => comeBack(mail, "hard"));
    assert.ok((await outcomes(now)).every((outcome) => outcome === "suppressed"));
    assert.deepEqual(await storms(domain), []);
  });
});
