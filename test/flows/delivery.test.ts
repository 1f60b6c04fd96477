import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  explainAudience,
  listRecipients,
  onProgress,
  type RecipientStatus,
  readProgress,
} from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { suppressContact } from "../../src/subscribers/subscribers.ts";
import {
  assertAgree,
  type Bench,
  type Compose,
  composeSimply,
  countTwice,
  createBench,
  people,
} from "../support/delivery.ts";
import { until } from "../support/until.ts";

describe("delivery", () => {
  let bench: Bench;
  /** Maps a subject to what the composer does to its source. */
  const faults = new Map<string, () => void>();
  const compose: Compose = async (source) => {
    const { subject } = source.revision as { subject: string };
    const many = await composeSimply(source);
    return async (recipients) => {
      faults.get(subject)?.();
      return (await many(recipients)).map((one, index) =>
        recipients[index]?.email.startsWith("unrenderable@") ? { ok: false, reason: "no such filter" } : one,
      );
    };
  };
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
    await bench.startSender(compose);
    await bench.startSender(compose);
  });
  after(() => bench.stop());

  const ofList = (listId: string) => ({ audience: { listId, segmentId: null } });
  const hasEnded = (id: string) => until(() => bench.ended.has(id));
  const rowsOf = (id: string) =>
    bench.db.many<{
      email: string;
      state: string;
      why: string | null;
      attempt: number;
      code: number;
      reply: string;
    }>(sql`
      select s.email, d.state, d.why, d.attempt, d.code, d.reply from deliveries d
      left join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
      where d.source_id = ${id} order by s.email`);
  const setStatus = (id: string | undefined, status: string) =>
    bench.db.execute(sql`update subscribers set status = ${status} where id = ${id ?? null}`);

  test("10,000 recipients get one message each, by two senders, and the counts agree all the while", async () => {
    const listId = await bench.addList();
    await bench.addSubscribers(people(10_000), listId);
    const id = await bench.launch(ofList(listId));
    while (!bench.ended.has(id)) {
      assertAgree(await countTwice(bench, bench.accountId, id));
      await sleep(50);
    }
    assert.deepEqual(bench.ended.get(id), { kind: "done" });
    const { recipients, sent, queued } = await bench.counts(id);
    assert.deepEqual({ recipients, sent, queued }, { recipients: 10_000, sent: 10_000, queued: 0 });
    const { attempts, kept } = await bench.db.one<{ attempts: number; kept: number }>(sql`
      select sum(attempt) as attempts, (select count(*) from sandbox_messages where owner_id = ${id}) as kept
      from deliveries where source_id = ${id}`);
    assert.equal(attempts, 10_000);
    assert.ok(kept >= 5_000 && kept <= 8_000, `${kept} messages are kept`);
  });

  test("a contact is judged once, when it is planned: only the suppressed have a row that says so", async () => {
    const listId = await bench.addList();
    const names = ["active", "pending", "unsubscribed", "bounced", "complained", "suppressed", "opted-out"];
    const ids = await bench.addSubscribers(
      names.map((name) => `${name}@judged.example`),
      listId,
    );
    for (const index of [1, 2, 3, 4]) await setStatus(ids[index], names[index] ?? "");
    const contactOf = async (index: number) =>
      (
        await bench.db.one<{ contact_id: string }>(
          sql`select contact_id from subscribers where id = ${ids[index] ?? null}`,
        )
      ).contact_id;
    const suppressed = await contactOf(5);
    await bench.ctx((ctx) => suppressContact(ctx, suppressed, "manual", "test"));
    await bench.db.execute(sql`
      insert into opt_outs (account_id, contact_id, list_id, source, created_at)
      values (${bench.accountId}, ${await contactOf(6)}, ${listId}, 'test', now())`);

    const explained = await explainAudience(
      {
        sql: bench.db,
        accountId: bench.accountId,
        actor: { kind: "system", id: null },
        clock: bench.clock,
        log: bench.log,
      },
      { listId, segmentId: null },
      bench.owner,
    );
    assert.deepEqual(explained, {
      onList: 7,
      excluded: ["pending", "unsubscribed", "bounced", "complained", "opted_out", "suppressed"].map(
        (rule) => ({
          rule,
          count: 1,
        }),
      ),
      willGet: 1,
    });
    const id = await bench.launch(ofList(listId));
    await hasEnded(id);
    assert.deepEqual(
      (await rowsOf(id)).map(({ email, state, why }) => [email, state, why]),
      [
        ["active@judged.example", "sent", null],
        ["suppressed@judged.example", "skipped", "suppressed"],
      ],
    );
    const { recipients, sent, skipped } = await bench.counts(id);
    assert.deepEqual([recipients, sent, skipped.suppressed, skipped.total], [2, 1, 1, 1]);
  });

  test("a segment's rules are those of the launch", async () => {
    const listId = await bench.addList();
    await bench.addSubscribers([...people(30, "in.example"), ...people(30, "out.example")], listId);
    const segmentId = newId(bench.clock);
    await bench.db.execute(sql`
      insert into segments (account_id, id, name, list_id, rules, created_at, updated_at)
      values (${bench.accountId}, ${segmentId}, 'In', null,
              '{"all": [{"field": "email", "op": "ends_with", "value": "@in.example"}]}', now(), now())`);
    const id = await bench.launch({ audience: { listId, segmentId } });
    await hasEnded(id);
    const rows = await rowsOf(id);
    assert.equal(rows.length, 30);
    assert.ok(rows.every(({ email, state }) => email.endsWith("@in.example") && state === "sent"));
  });

  test("with nobody to mail, the source ends as failed, and may be launched again", async () => {
    const listId = await bench.addList();
    const id = await bench.launch(ofList(listId));
    await hasEnded(id);
    assert.deepEqual(bench.ended.get(id), { kind: "no_recipients" });
    await bench.addSubscribers(people(3), listId);
    bench.ended.delete(id);
    await bench.launch({ id, ...ofList(listId) });
    await hasEnded(id);
    assert.deepEqual(bench.ended.get(id), { kind: "done" });
    assert.equal((await bench.counts(id)).sent, 3);
    await assert.rejects(bench.launch({ id, ...ofList(listId) }), /launched already/);
  });

  test("the sandbox answers as a bad relay: bounces suppress, deferred ones are tried again", async () => {
    const listId = await bench.addList();
    const names = ["ada", "block", "bounce+tag", "defer", "drop", "full", "unrenderable"];
    await bench.addSubscribers(
      names.map((name) => `${name}@bad.example`),
      listId,
    );
    const id = await bench.launch(ofList(listId));
    await until(async () => {
      // A message that met `drop` is retried after a minute, as with a real server, so its time is moved here.
      await bench.db.execute(sql`update retries set due_at = now() where source_id = ${id} and not claimed`);
      return bench.ended.has(id);
    });
    const rows = (await rowsOf(id)).map((row) => [
      row.email.split("@")[0],
      row.state,
      row.why,
      row.attempt,
      row.code,
    ]);
    assert.deepEqual(rows, [
      ["ada", "sent", null, 1, 250],
      ["block", "failed", "block_bounce", 1, 554],
      ["bounce+tag", "failed", "hard_bounce", 1, 550],
      ["defer", "sent", null, 2, 250],
      ["drop", "sent", null, 2, 250],
      ["full", "failed", "soft_bounce", 1, 552],
      ["unrenderable", "failed", "unrenderable", 1, null],
    ]);
    const { bounces, sent, failed } = await bench.counts(id);
    assert.deepEqual(
      { bounces, sent, failed },
      { bounces: { hard: 1, soft: 1, block: 1, total: 3 }, sent: 3, failed: 4 },
    );
    const { status } = await bench.db.one<{ status: string }>(
      sql`select status from subscribers where list_id = ${listId} and email like 'bounce%'`,
    );
    assert.equal(status, "bounced");
    const kept = await bench.db.many<{ raw: Buffer }>(sql`
      select raw from sandbox_messages where owner_id = ${id} and envelope_to like 'drop@%'`);
    assert.equal(kept.length, 2, "it may have arrived the first time, too");
    assert.deepEqual(kept[0], kept[1], "and both times it is the same message");
  });

  test("held: what may have arrived is unknown, and never sent again", async () => {
    const listId = await bench.addList();
    await bench.addSubscribers(["ada@held.example", "drop@held.example"], listId);
    const id = await bench.launch({ ...ofList(listId), onAmbiguous: "hold" });
    await hasEnded(id);
    const { sent, unknown, queued } = await bench.counts(id);
    assert.deepEqual({ sent, unknown, queued }, { sent: 1, unknown: 1, queued: 0 });
  });

  test("pages of recipients, by status and from one to the next", async () => {
    const listId = await bench.addList();
    const emails = [...people(20), "bounce@pages.example", "block@pages.example"];
    await bench.addSubscribers(emails, listId);
    const id = await bench.launch(ofList(listId));
    await hasEnded(id);
    const page = (status?: RecipientStatus, afterContact?: string) =>
      listRecipients(bench.db, bench.accountId, id, { status, limit: 10, after: afterContact });
    const all = [await page()];
    while (all.at(-1)?.length === 10) all.push(await page(undefined, all.at(-1)?.at(-1)?.contactId));
    assert.deepEqual(new Set(all.flat().map((row) => row.email)), new Set(emails));
    assert.equal(all.flat().length, 22);
    const failed = await page("failed");
    assert.deepEqual(failed.map(({ email, code }) => [email, code]).sort(), [
      ["block@pages.example", 554],
      ["bounce@pages.example", 550],
    ]);
    assert.deepEqual((await page("failed", failed[0]?.contactId)).length, 1);
    assert.equal((await page("sent")).length, 10);
    for (const status of ["ready", "inflight", "deferred", "skipped", "unknown"] as const) {
      assert.deepEqual(await page(status), []);
    }
  });

  test("a composer that fails for good ends the source, and a new launch sends to those not yet sent", async () => {
    const listId = await bench.addList();
    await bench.addSubscribers(people(300), listId);
    let chunks = 0;
    faults.set("broken", () => {
      if (++chunks > 1) throw new Error("the revision is broken");
    });
    const id = await bench.launch({ ...ofList(listId), revision: { subject: "broken" } });
    await hasEnded(id);
    assert.deepEqual(bench.ended.get(id), { kind: "failed", reason: "the revision is broken" });
    const before = await bench.counts(id);
    assert.ok(before.sent > 0 && before.sent < 300 && before.sent + before.queued === 300);
    bench.ended.delete(id);
    await bench.launch({ id, ...ofList(listId), revision: { subject: "mended" } });
    await hasEnded(id);
    const { sent, recipients } = await bench.counts(id);
    assert.deepEqual({ sent, recipients }, { sent: 300, recipients: 300 });
    const { most } = await bench.db.one<{ most: number }>(sql`
      select max(count) as most from (
        select count(*) from sandbox_messages where owner_id = ${id} group by contact_id) as per`);
    assert.equal(most, 1);
  });

  test("progress is told while it happens, and ends at all of them", async () => {
    const listId = await bench.addList();
    await bench.addSubscribers(people(2_000), listId);
    const id = newId(bench.clock);
    let hints = 0;
    const stop = onProgress(bench.listener, id, () => hints++);
    await bench.launch({ id, ...ofList(listId) });
    await hasEnded(id);
    await until(() => hints > 0);
    stop();
    const progress = (
      await readProgress(bench.db, bench.accountId, [id, newId(bench.clock)], bench.clock.now())
    ).get(id);
    assert.deepEqual(progress, {
      phase: null,
      total: 2_000,
      done: 2_000,
      remaining: 0,
      perSecond: 0,
      eta: null,
      dailyLimit: null,
      held: null,
    });
  });
});
