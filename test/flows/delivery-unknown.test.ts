/** Rows of the ledger that are unknown are settled by what comes back, each once, and all sums follow. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  deliveryJobs,
  listOccurrences,
  listRecipients,
  readCounts,
  readQuarters,
  settleByEvidence,
} from "../../src/delivery/delivery.ts";
import { settleAbandoned } from "../../src/delivery/ledger/ledger.ts";
import { keepDomains } from "../../src/delivery/reports/reports.ts";
import { comeBack, createActingBench, type Mail } from "../../src/inbound/acting/acting.fixture.ts";
import { sql } from "../../src/platform/db/db.ts";
import { assertAgree, countTwice, testSenderOptions } from "../support/delivery.ts";

describe("rows that are unknown", () => {
  let made: Awaited<ReturnType<typeof createActingBench>>;
  let people = 0;
  before(async () => {
    made = await createActingBench();
  });
  after(() => made.bench.stop());

  const addresses = (count: number) => Array.from({ length: count }, () => `u${++people}@unknown.example`);
  const agree = async ({ accountId, sourceId }: Mail) =>
    assertAgree(await countTwice(made.bench, accountId, sourceId));
  const rowOf = async ({ accountId, sourceId, contactId }: Mail) =>
    made.bench.db.one<{ state: string; why: string | null }>(sql`
      select state, why from deliveries
      where account_id = ${accountId} and source_id = ${sourceId} and contact_id = ${contactId}`);

  test("become sent by a report, whatever it says, and the ledger says by what", async () => {
    const mails = await made.addMails(addresses(4), { state: "unknown" });
    const [bounced, arrived, late, other] = mails as [Mail, Mail, Mail, Mail];
    await made.act([comeBack(bounced, "hard"), comeBack(arrived, "delivered"), comeBack(late, "delay")]);
    await made.act([comeBack(bounced, "soft"), comeBack(arrived, "delivered")]);
    for (const mail of [bounced, arrived, late])
      assert.deepEqual(await rowOf(mail), { state: "sent", why: "settled_by_dsn" });
    assert.equal((await rowOf(other)).state, "unknown");
    const { sent, unknown, failed, returned, bounces } = await readCounts(
      made.bench.db,
      other.accountId,
      other.sourceId,
    );
    assert.deepEqual(
      { sent, unknown, failed, returned, hard: bounces.hard },
      { sent: 3, unknown: 1, failed: 0, returned: 1, hard: 1 },
    );
    await agree(other);
    const page = { limit: 10 };
    const still = await listOccurrences(made.bench.db, other.accountId, other.sourceId, "unknown", page);
    assert.deepEqual(
      still.map(({ contactId }) => contactId),
      [other.contactId],
    );
    const listed = await listRecipients(made.bench.db, other.accountId, other.sourceId, {
      ...page,
      status: "unknown",
    });
    assert.equal(listed.length, 1);
    const quarters = await readQuarters(made.bench.db, other.accountId, other.sourceId);
    assert.ok(quarters.every((one) => one.unknown >= 0 && one.sent >= 0));
    assert.equal(
      quarters.reduce((sum, one) => sum + one.sent, 0),
      3,
    );
  });

  test("are settled once by eight at once", async () => {
    const mails = await made.addMails(addresses(30), { state: "unknown" });
    const evidence = mails.map((mail) => ({ ...mail, by: "dsn" as const }));
    const settled = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        made.bench.ctx((ctx) =>
          settleByEvidence(ctx.sql, ctx.clock, n % 2 === 0 ? evidence : evidence.toReversed()),
        ),
      ),
    );
    assert.equal(
      settled.reduce((sum, count) => sum + count, 0),
      30,
    );
    await agree(mails[0] as Mail);
  });

  test("change the counts by domain that were kept when the source ended", async () => {
    const mails = await made.addMails(addresses(3), { state: "unknown" });
    const [mail] = mails as [Mail, Mail, Mail];
    const payload = { account_id: mail.accountId, source_id: mail.sourceId };
    const { db, clock, log } = made.bench;
    await keepDomains({ db, clock, log, signal: new AbortController().signal, attempt: 1 }, payload);
    await made.act([comeBack(mail, "delivered")]);
    const kept = await db.one(sql`
      select domain, recipients, sent, unknown from source_domains where source_id = ${mail.sourceId}`);
    assert.deepEqual(kept, { domain: "unknown.example", recipients: 3, sent: 1, unknown: 2 });
  });

  test("are settled where the evidence came while a dead sender still had them", async () => {
    const mails = await made.addMails(addresses(10), { state: "inflight" });
    const [first] = mails as [Mail];
    const { db, clock, log } = made.bench;
    const worker = await made.bench.startWorker();
    const holder = { id: worker.id, epoch: worker.epoch };
    const contacts = mails.map(({ contactId }) => contactId);
    await db.execute(sql`
      update deliveries set worker_id = ${first.contactId}, epoch = 1 where source_id = ${first.sourceId}`);
    await Promise.all([
      settleAbandoned({ db, clock }, holder, { ...first, contacts, onAmbiguous: "hold" }),
      made.act(mails.slice(0, 5).map((mail) => comeBack(mail, "soft"))),
    ]);
    const jobs = await db.many<{ payload: object }>(sql`
      select payload from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id where t.identifier = 'settle_later'`);
    const job = deliveryJobs({ owner: made.bench.owner, ...testSenderOptions }).find(
      ({ name }) => name === "settle_later",
    );
    for (const { payload } of jobs)
      await job?.run({ db, clock, log, signal: new AbortController().signal, attempt: 1 }, payload);
    const { sent, unknown, returned } = await readCounts(db, first.accountId, first.sourceId);
    assert.deepEqual({ sent, unknown, returned }, { sent: 5, unknown: 5, returned: 5 });
    await agree(first);
    await worker.stop();
  });
});
