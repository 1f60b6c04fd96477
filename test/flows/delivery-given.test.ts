/** A given source is opened, gets recipients and is closed, while real senders send its mail into the sandbox. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  cancelSource,
  forgetAddress,
  listRecipients,
  pauseSource,
  readProgress,
  resumeSource,
} from "../../src/delivery/delivery.ts";
import { keepDomains } from "../../src/delivery/reports/by-domain.ts";
import { sql } from "../../src/platform/db/db.ts";
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
import { addStrangers, openGiven } from "../support/given.ts";
import { until } from "../support/until.ts";

describe("a source that is given its recipients", () => {
  let bench: Bench;
  const values: unknown[] = [];
  const compose: Compose = async (source) => {
    const many = await composeSimply(source);
    return async (recipients) => {
      values.push(...recipients.map((one) => [one.email, one.subscriberId, one.listId, one.values]));
      if (recipients.some(({ email }) => email.startsWith("slow"))) await sleep(300);
      return many(recipients);
    };
  };
  before(async () => {
    bench = await createBench();
    await bench.startJobs();
    await bench.startSender(compose);
    await bench.startSender(compose);
  });
  after(() => bench.stop());

  test("sends to who is added, is looked at by nobody in between, and ends once it is closed", async () => {
    const source = await openGiven(bench);
    assert.equal(await source.isLookedAt(), false, "nothing to send yet");
    const first = await addStrangers(bench, people(3));
    assert.deepEqual(await source.add(first), { kind: "added", count: 3 });
    await source.hasSent(3);
    await until(async () => !(await source.isLookedAt()));
    const second = await addStrangers(bench, people(2));
    assert.deepEqual(await source.add(second), { kind: "added", count: 2 });
    await source.hasSent(5);
    await until(async () => !(await source.isLookedAt()));
    assert.equal(bench.ended.has(source.ownerId), false);
    assert.equal(
      (await readProgress(bench.db, bench.accountId, [source.ownerId], bench.clock.now())).get(source.ownerId)
        ?.phase,
      null,
    );
    await source.close();
    await source.hasEnded();
    assert.deepEqual(bench.ended.get(source.ownerId), { kind: "done" });
    assert.equal(await source.isLookedAt(), false);
    const emails = [...first, ...second].map((one) => (one.subscriberId === null ? one.email : ""));
    assert.deepEqual(await source.mailed(), emails.toSorted());
    assert.deepEqual(await source.add(await addStrangers(bench, people(1))), { kind: "closed" });
    await source.close();
  });

  test("composes with the values that came with a recipient, and knows a subscriber by its list", async () => {
    const listId = await bench.addList();
    const [email = ""] = people(1);
    const [subscriberId = ""] = await bench.addSubscribers([email], listId);
    const { contact_id: contactId } = await bench.db.one<{ contact_id: string }>(
      sql`select contact_id from subscribers where id = ${subscriberId}`,
    );
    const source = await openGiven(bench, { listId });
    const [stranger] = await addStrangers(bench, people(1));
    assert.ok(stranger?.subscriberId === null);
    await source.add([{ contactId, subscriberId }, stranger]);
    await source.hasSent(2);
    const ofThese = values.filter((one) => [email, stranger.email].includes((one as string[])[0] ?? ""));
    assert.deepEqual(
      new Set(ofThese.map((one) => JSON.stringify(one))),
      new Set([
        JSON.stringify([email, subscriberId, listId, {}]),
        JSON.stringify([stranger.email, null, listId, { order: 0 }]),
      ]),
    );
    const page = await listRecipients(bench.db, bench.accountId, source.ownerId, {
      limit: 10,
      status: "sent",
    });
    assert.deepEqual(page.map((one) => one.email).toSorted(), [email, stranger.email].toSorted());
    await keepDomains({ db: bench.db, clock: bench.clock } as never, {
      account_id: bench.accountId,
      source_id: source.id,
    });
    const counted = await bench.db.many<{ domain: string }>(
      sql`select domain from source_domains where source_id = ${source.id} order by domain`,
    );
    assert.deepEqual(
      counted.map(({ domain }) => domain),
      [email, stranger.email].map((one) => one.split("@")[1]).toSorted(),
    );
  });

  test("a contact is added once, by one call, by two calls and by two at once", async () => {
    const source = await openGiven(bench);
    const some = await addStrangers(bench, people(50));
    assert.deepEqual(await source.add([...some.slice(0, 10), ...some.slice(0, 10)]), {
      kind: "added",
      count: 10,
    });
    assert.deepEqual(await source.add(some.slice(0, 10)), { kind: "added", count: 0 });
    const added = await Promise.all([source.add(some), source.add(some.toReversed()), source.add(some)]);
    assert.equal(
      added.reduce((sum, one) => sum + (one.kind === "added" ? one.count : 0), 0),
      40,
    );
    await source.close();
    await source.hasEnded();
    assert.equal((await source.rows()).length, 50);
    assert.equal((await source.mailed()).length, 50);
    assertAgree(await countTwice(bench, bench.accountId, source.ownerId));
  });

  test("a suppression skips such a recipient, and nothing else does", async () => {
    const source = await openGiven(bench);
    const [suppressed, optedOut, well] = await addStrangers(bench, people(3));
    assert.ok(suppressed && optedOut && well);
    await bench.ctx((ctx) => suppressContact(ctx, suppressed.contactId, "manual", "test"));
    await bench.db.execute(sql`
      insert into opt_outs (account_id, contact_id, list_id, source, created_at)
      values (${bench.accountId}, ${optedOut.contactId}, '00000000-0000-0000-0000-000000000000', 'test', now())`);
    await source.add([suppressed, optedOut, well]);
    await source.close();
    await source.hasEnded();
    const { sent, skipped } = await bench.counts(source.ownerId);
    assert.deepEqual([sent, skipped.suppressed, skipped.total], [2, 1, 1]);
  });

  test("closed while rows are under way, it ends when the last of them is settled", async () => {
    const source = await openGiven(bench);
    await source.add(await addStrangers(bench, ["slow@ways.example", "defer@ways.example", ...people(20)]));
    await source.close();
    assert.equal(bench.ended.has(source.ownerId), false);
    await source.hasEnded();
    assert.equal((await bench.counts(source.ownerId)).sent, 22);
    assertAgree(await countTwice(bench, bench.accountId, source.ownerId));
  });

  test("paused it takes recipients and sends nothing, resumed it sends them, canceled it takes no more", async () => {
    const source = await openGiven(bench);
    await bench.ctx((ctx) => pauseSource(ctx, source.ownerId, "test"));
    assert.deepEqual(await source.add(await addStrangers(bench, people(5))), { kind: "added", count: 5 });
    assert.equal(await source.isLookedAt(), false);
    await sleep(300);
    assert.equal((await bench.counts(source.ownerId)).queued, 5);
    await bench.ctx((ctx) => resumeSource(ctx, source.ownerId));
    await source.hasSent(5);
    await bench.ctx((ctx) => pauseSource(ctx, source.ownerId));
    await source.add(await addStrangers(bench, people(3)));
    await bench.ctx((ctx) => cancelSource(ctx, source.ownerId));
    assert.deepEqual(await source.add(await addStrangers(bench, people(1))), { kind: "closed" });
    await until(async () => (await bench.counts(source.ownerId)).skipped.canceled === 3);
    assertAgree(await countTwice(bench, bench.accountId, source.ownerId));
  });

  test("an owner's sources are counted, paused and paged together", async () => {
    const one = await openGiven(bench);
    const other = await openGiven(bench, { ownerId: one.ownerId });
    const some = await addStrangers(bench, people(7));
    await one.add(some.filter((_, n) => n % 2 === 0));
    await other.add(some.filter((_, n) => n % 2 === 1));
    await one.hasSent(7);
    const contacts = async (after?: string) =>
      (await listRecipients(bench.db, bench.accountId, one.ownerId, { limit: 4, after })).map(
        (row) => row.contactId,
      );
    const first = await contacts();
    const second = await contacts(first.at(-1));
    assert.deepEqual([...first, ...second], some.map(({ contactId }) => contactId).toSorted());
    await bench.ctx((ctx) => pauseSource(ctx, one.ownerId));
    await other.add(await addStrangers(bench, people(1)));
    assert.equal(await other.isLookedAt(), false);
    assert.equal((await bench.counts(one.ownerId)).queued, 1);
  });

  test("emptied and closed without ever having had a recipient, it is done", async () => {
    const source = await openGiven(bench);
    await source.close();
    await source.hasEnded();
    assert.deepEqual(bench.ended.get(source.ownerId), { kind: "done" });
  });

  test("added to by many while senders empty it again and again, nobody is left behind", async () => {
    const source = await openGiven(bench);
    for (let round = 0; round < 15; round++) {
      const some = await addStrangers(bench, people(4));
      await Promise.all(some.map((one) => source.add([one])));
      await sleep(round * 3);
    }
    await source.hasSent(60);
    await until(async () => !(await source.isLookedAt()));
  });
});

describe("a given recipient who is forgotten", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench.stop());

  test("before it was sent gets nothing, and nothing of the address is left", async () => {
    const source = await openGiven(bench);
    const [gone, stays] = await addStrangers(bench, ["Gone@Forgotten.example", "stays@forgotten.example"]);
    assert.ok(gone && stays);
    await source.add([gone, stays]);
    await bench.ctx((ctx) => forgetAddress(ctx, "gone@forgotten.example"));
    await bench.startSender();
    await source.close();
    await source.hasEnded();
    assert.deepEqual(await source.mailed(), ["stays@forgotten.example"]);
    const { sent, skipped } = await bench.counts(source.ownerId);
    assert.deepEqual([sent, skipped.deleted], [1, 1]);
    const { left } = await bench.db.one<{ left: number }>(
      sql`select count(*) as left from given_recipients where email ilike 'gone@%'`,
    );
    assert.equal(left, 0);
  });
});

describe("what an automation adds a few at a time", () => {
  let bench: Bench;
  before(async () => {
    bench = await createBench();
  });
  after(() => bench.stop());

  test("is leased together, up to as many mails as a batch of a campaign has", async () => {
    const source = await openGiven(bench, { stream: "automation" });
    const many = 301;
    for (let n = 0; n < 40; n++) await source.add(await addStrangers(bench, people(1)));
    for (let n = 0; n < 2; n++) await source.add(await addStrangers(bench, people(many)));
    let leases = 0;
    const onFaultPoint = (point: string) => {
      if (point === "leased") leases++;
    };
    const { stop } = await bench.startSender(composeSimply, { onFaultPoint });
    await source.hasSent(40 + 2 * many);
    await source.close();
    await source.hasEnded();
    await stop();
    assert.equal(leases, 2, "forty and the first large one, and the second large one");
    assert.equal((await source.mailed()).length, 40 + 2 * many, "each once");
  });
});
