/** A wave takes mails from many transactions at once, while real senders send them into the sandbox. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addToWave, cancelInWave, createReadyNotifier, findWave } from "../../src/delivery/delivery.ts";
import { closeWave, reviveWave } from "../../src/delivery/sources/sources.ts";
import { type Queryable, sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { sendContacts, suppressContact } from "../../src/subscribers/subscribers.ts";
import { type Bench, createBench } from "../support/delivery.ts";
import { until } from "../support/until.ts";

describe("a wave", () => {
  let bench: Bench;
  let wake: (sourceId: string) => void;
  before(async () => {
    bench = await createBench();
    wake = createReadyNotifier(bench.db);
    await bench.startJobs();
    const composer = {
      prepare: async () => ({
        needsTags: false,
        compose: async (_sourceId: string, recipients: readonly { contactId: string; email: string }[]) =>
          recipients.map(({ contactId, email }) => ({
            ok: true as const,
            from: "billing@acme.example",
            to: `${contactId}${email}`,
            message: Buffer.from(`Subject: x\r\n\r\n${contactId}\r\n`),
          })),
      }),
    };
    await bench.startSender(undefined, { composer });
    await bench.startSender(undefined, { composer });
  });
  after(() => bench.stop());

  const recipient = (id = newId(bench.clock), hash = Buffer.from(id.replaceAll("-", ""), "hex")) => ({
    id,
    addressHash: hash,
    domain: "waves.example",
  });

  async function add(...mails: ReturnType<typeof recipient>[][]): Promise<string> {
    const wave = await bench.ctx((ctx) => findWave(ctx, false, null));
    await bench.ctx(async (ctx) => {
      sendContacts(
        ctx,
        mails.flat().map(({ addressHash }) => addressHash),
      );
      await addToWave(
        ctx,
        wave,
        mails.map((recipients) => ({ ids: {}, recipients })),
      );
    });
    wake(wave.id);
    return wave.id;
  }

  const states = async (ids: readonly string[]) =>
    (
      await bench.db.many<{ state: string; why: string | null }>(sql`
        select state, why from deliveries where contact_id = any(${[...ids]}::uuid[]) order by contact_id`)
    ).map(({ state, why }) => why ?? state);
  const isSent = (ids: readonly string[]) =>
    until(async () => (await states(ids)).every((state) => state === "sent"));

  test("is one for a day, however many add to it at once, and sends one person many mails", async () => {
    const hash = Buffer.alloc(16, 7);
    const mails = Array.from({ length: 40 }, () => recipient(undefined, hash));
    const ids = new Set(await Promise.all(mails.map((one) => add([one]))));
    assert.equal(ids.size, 1);
    await isSent(mails.map(({ id }) => id));
    const { caught, persons } = await bench.db.one<{ caught: number; persons: number }>(sql`
      select (select count(*) from sandbox_messages) as caught, (
        select count(distinct person_id) from given_recipients) as persons`);
    assert.deepEqual([caught, persons], [40, 1]);
  });

  test("added to while senders empty it again and again, leaves nobody behind", async () => {
    const added: string[] = [];
    for (let round = 0; round < 15; round++) {
      const some = [recipient(), recipient(), recipient()];
      added.push(...some.map(({ id }) => id));
      await Promise.all(some.map((one) => add([one])));
      await sleep(round * 3);
    }
    await isSent(added);
    await until(async () => (await bench.db.many(sql`select from runnable`)).length === 0);
  });

  test("skips who is suppressed for transactional mail, and no one who complained about a campaign", async () => {
    const [bounced, complained] = [recipient(), recipient()];
    await bench.ctx(async (ctx) => {
      sendContacts(ctx, [bounced.addressHash, complained.addressHash]);
      const contactOf = async (hash: Buffer) =>
        (await ctx.sql.one<{ id: string }>(sql`select id from contacts where address_hash = ${hash}`)).id;
      await suppressContact(ctx, await contactOf(bounced.addressHash), "hard_bounce", "test");
      await suppressContact(ctx, await contactOf(complained.addressHash), "complaint", "test");
    });
    await add([bounced], [complained]);
    await isSent([complained.id]);
    await until(async () => (await states([bounced.id]))[0] === "suppressed");
  });

  test("cancels a mail that hasn't left, and none that has", async () => {
    const waveId = await add([recipient()]);
    await bench.db.execute(sql`update sources set state = 'paused' where id = ${waveId}`);
    const mail = [recipient(), recipient()];
    await add(mail);
    const ids = mail.map(({ id }) => id);
    const cancel = () =>
      bench.ctx((ctx) => cancelInWave(ctx.sql, ctx.accountId, waveId, ids, ctx.clock.now()));
    assert.equal(await cancel(), true);
    assert.equal(await cancel(), false);
    assert.deepEqual(await states(ids), ["canceled", "canceled"]);
    await bench.ctx((ctx) => reviveWave(ctx, waveId, false));
    const sent = recipient();
    await add([sent]);
    await isSent([sent.id]);
    const left = await bench.ctx((ctx) =>
      cancelInWave(ctx.sql, ctx.accountId, waveId, [sent.id], ctx.clock.now()),
    );
    assert.equal(left, false);
    assert.deepEqual(await states(ids), ["canceled", "canceled"]);
  });

  test("paused on a server that is gone, it waits for another one and never ends in the sandbox", async () => {
    const waveId = newId(bench.clock);
    await bench.db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, transport_id, state, reason, revision_id, is_given, on_ambiguous,
                           launched_at)
      values (${bench.accountId}, ${waveId}, ${bench.accountId}, 'transactional', ${newId(bench.clock)}, 'paused', 'gone',
              ${waveId}, true, 'resend', now())`);
    const stateIn = async (tx: Queryable) =>
      (await tx.one<{ state: string }>(sql`select state from sources where id = ${waveId}`)).state;
    await bench.ctx((ctx) => reviveWave(ctx, waveId, false));
    assert.equal(await stateIn(bench.db), "paused");
    const jobs = await bench.db.many(
      sql`select run_at from graphile_worker.jobs where key = ${`revive ${waveId}`} and run_at > now()`,
    );
    assert.equal(jobs.length, 1);
    await bench.ctx(async (ctx) => {
      await reviveWave(ctx, waveId, true);
      assert.equal(await stateIn(ctx.sql), "running");
      await ctx.sql.execute(sql`delete from sources where id = ${waveId}`);
    });
  });

  test("closed, it takes no mail, and ends once every row is settled", async () => {
    const last = recipient();
    const waveId = await add([last]);
    await bench.ctx((ctx) => closeWave(ctx, waveId));
    await assert.rejects(add([recipient()]), /closed/);
    await until(() => bench.ended.has(bench.accountId));
    assert.deepEqual(bench.ended.get(bench.accountId), { kind: "done" });
    assert.deepEqual(await states([last.id]), ["sent"]);
    const { recipients, done } = await bench.db.one<{ recipients: number; done: number }>(sql`
      select recipients, (select sum(count)::bigint from counters where source_id = ${waveId} and what not like 'bounce%') as done
      from plans where source_id = ${waveId}`);
    assert.equal(done, recipients);
  });
});
