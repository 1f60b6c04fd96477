/** What an account may send in a period, with real senders and a real server: exactly that, and nobody is lost. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  addRecipients,
  openSource,
  QUOTA_REACHED,
  readAllowance,
  readMailRoom,
  resumeSource,
  writeAllowance,
} from "../../src/delivery/delivery.ts";
import { storeRevision } from "../../src/messages/messages.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { type Bench, composeSimply, createBench, people } from "../support/delivery.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";
import { usageOf } from "../support/usage.ts";

const DAY_MS = 24 * 3_600_000;
const DAY = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);

/** The clock of this machine, moved to any time. */
function createMovedClock(): Clock & { moveTo(at: Date): void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    monotonicMs: () => systemClock.monotonicMs(),
    moveTo(at) {
      offsetMs = at.getTime() - Date.now();
    },
  };
}

describe("an allowance", () => {
  const clock = createMovedClock();
  let bench: Bench;
  let server: ScriptedServer;
  before(async () => {
    clock.moveTo(new Date(DAY.getTime() + DAY_MS / 2));
    bench = await createBench({ hasRelay: true, clock });
    await bench.startJobs();
    server = await startScriptedServer({
      RCPT: (peer) => {
        const nth = Number(/<bad(\d+)@/.exec(server.lines.at(-1) ?? "")?.[1] ?? -1);
        peer.write(nth >= 0 ? "550 5.1.1 User unknown\r\n" : "250 ok\r\n");
      },
      DATA: (peer) => {
        peer.write("354 go on\r\n");
        return "body";
      },
    });
  });
  after(async () => {
    await bench.stop();
    await server.close();
  });

  const start = () =>
    bench.startSender(composeSimply, {
      relay: { host: "127.0.0.1", port: server.port, backOff: { firstMs: 10, maxMs: 50 } },
      firstRetryMs: 100,
      internalHosts: ["127.0.0.1"],
    });
  type Allowed = {
    mails?: number | null;
    dailyMails?: number | null;
    transactionalReserve?: number;
    freeMails?: number | null;
  };
  /** Allows so much in the 30 days from this one on, and again in those after. */
  const allow = (
    accountId: string,
    { mails = null, dailyMails = null, transactionalReserve = 0, freeMails = null }: Allowed,
  ) =>
    bench.ctx(
      (ctx) =>
        writeAllowance(ctx.sql, ctx.accountId, {
          timeZone: "UTC",
          periods: [0, 30].map((days) => ({
            from: new Date(DAY.getTime() + days * DAY_MS),
            to: new Date(DAY.getTime() + (days + 30) * DAY_MS),
            ...{ mails, dailyMails, freeMails, transactionalReserve },
          })),
          now: clock.now(),
        }),
      accountId,
    );
  async function launchTo(emails: readonly string[], accountId: string, more = {}) {
    const listId = await bench.addList(accountId);
    await bench.addSubscribers(emails, listId, accountId);
    return bench.launch({ audience: { listId, segmentId: null }, ...more }, accountId);
  }
  const sentOf = async (id: string, accountId: string) => (await bench.counts(id, accountId)).sent;
  const pausedFor = (id: string) =>
    until(async () => {
      const how = bench.ended.get(id);
      return how?.kind === "paused" && how.reason === QUOTA_REACHED;
    });
  const ended = (id: string) => until(async () => bench.ended.get(id)?.kind === "done");
  /** At rest, what is taken is what was sent, and nothing is reserved. */
  async function assertAtRest(accountId: string, used: number) {
    const allowance = await readAllowance(bench.db, accountId, clock.now());
    assert.deepEqual([allowance?.taken.used, allowance?.taken.reserved], [used, 0]);
  }

  test("stops a campaign at the very mail, and lets it go on with exactly the rest", async () => {
    const [accountId, other] = [await bench.addAccount(), await bench.addAccount()];
    await allow(accountId, { mails: 1_234 });
    const senders = await Promise.all([start(), start()]);
    const emails = people(2_000);
    const id = await launchTo(emails, accountId);
    const free = await launchTo(people(300), other);
    await pausedFor(id);
    await ended(free);
    await sleep(500);
    assert.equal(await sentOf(id, accountId), 1_234);
    assert.equal(await sentOf(free, other), 300);
    await assertAtRest(accountId, 1_234);
    assert.match(
      String((bench.ended.get(id) as { detail?: string }).detail),
      /^the 1,234 mails until .* are used up$/,
    );
    // Somebody who resumes it without more room finds it paused again.
    bench.ended.delete(id);
    await bench.ctx((ctx) => resumeSource(ctx, id), accountId);
    await pausedFor(id);
    assert.equal(await sentOf(id, accountId), 1_234);
    bench.ended.delete(id);
    await allow(accountId, { mails: 5_000 });
    await bench.ctx((ctx) => resumeSource(ctx, id), accountId);
    await ended(id);
    await Promise.all(senders.map((sender) => sender.stop()));
    assert.equal(await sentOf(id, accountId), 2_000);
    const got = server.lines
      .filter((line) => line.startsWith("RCPT"))
      .map((line) => /<(.*)>/.exec(line)?.[1]);
    const domain = emails[0]?.split("@")[1];
    assert.equal(got.filter((to) => to?.endsWith(`@${domain}`)).length, 2_000);
    await assertAtRest(accountId, 2_000);
  });

  test("counts only what was sent: whom a server refuses is free", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 500 });
    const sender = await start();
    // Every fortieth address doesn't exist.
    const emails = Array.from(
      { length: 800 },
      (_, n) => `${n % 40 === 0 ? "bad" : "good"}${n}@refusing${n % 7}.example`,
    );
    const id = await launchTo(emails, accountId);
    await pausedFor(id);
    await sender.stop();
    assert.equal(await sentOf(id, accountId), 500);
    await assertAtRest(accountId, 500);
  });

  test("ends a campaign as sent whose last mail uses it up", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 40 });
    const sender = await start();
    const id = await launchTo(people(40), accountId);
    await ended(id);
    await sender.stop();
    assert.deepEqual(await usageOf(bench.db, accountId), { "campaign instance": 40 });
  });

  test("below what is used is taken, and stops at once", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 300 });
    const sender = await start();
    const first = await launchTo(people(200), accountId);
    await ended(first);
    await allow(accountId, { mails: 100 });
    const id = await launchTo(people(50), accountId);
    await pausedFor(id);
    await sender.stop();
    assert.equal(await sentOf(id, accountId), 0);
  });

  test("begins anew with the next period", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 60 });
    const sender = await start();
    const id = await launchTo(people(100), accountId);
    await pausedFor(id);
    bench.ended.delete(id);
    clock.moveTo(new Date(DAY.getTime() + 30.2 * DAY_MS));
    try {
      await bench.ctx((ctx) => resumeSource(ctx, id), accountId);
      await ended(id);
      await assertAtRest(accountId, 40);
    } finally {
      await sender.stop();
      clock.moveTo(new Date(DAY.getTime() + DAY_MS / 2));
    }
  });

  test("is that of the periods written last, also where they began before those written earlier", async () => {
    const accountId = await bench.addAccount();
    const write = (days: number, mails: number) => {
      const from = new Date(DAY.getTime() + days * DAY_MS);
      const period = {
        from,
        to: new Date(from.getTime() + 30 * DAY_MS),
        mails,
        dailyMails: null,
        freeMails: null,
      };
      const periods = [{ ...period, transactionalReserve: 0 }];
      return bench.ctx(
        (ctx) => writeAllowance(ctx.sql, ctx.accountId, { timeZone: "UTC", periods, now: clock.now() }),
        accountId,
      );
    };
    const limit = async () => (await readAllowance(bench.db, accountId, clock.now()))?.limits.mails;
    await write(0, 10);
    assert.equal(await limit(), 10);
    await write(-5, 500);
    assert.equal(await limit(), 500);
    await write(-2, 70);
    assert.equal(await limit(), 70);
  });

  test("keeps a reserve for transactional mail", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 100, transactionalReserve: 30 });
    const sender = await start();
    const id = await launchTo(people(200), accountId);
    await pausedFor(id);
    assert.equal(await sentOf(id, accountId), 70);
    const wave = await launchTo(people(50), accountId, { stream: "transactional" });
    await until(async () => (await sentOf(wave, accountId)) === 30);
    await sleep(700);
    await sender.stop();
    assert.equal(await sentOf(wave, accountId), 30);
    assert.equal(bench.ended.get(wave), undefined, "other mail than campaigns only waits");
    await assertAtRest(accountId, 100);
  });

  test("of a day lets everything wait for the next one, without a pause", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { dailyMails: 25 });
    const sender = await start();
    const id = await launchTo(people(60), accountId);
    await until(async () => (await sentOf(id, accountId)) === 25);
    await sleep(700);
    assert.deepEqual([await sentOf(id, accountId), bench.ended.get(id)], [25, undefined]);
    try {
      clock.moveTo(new Date(DAY.getTime() + 1.5 * DAY_MS));
      await until(async () => (await sentOf(id, accountId)) === 50);
      clock.moveTo(new Date(DAY.getTime() + 2.5 * DAY_MS));
      await ended(id);
    } finally {
      await sender.stop();
      clock.moveTo(new Date(DAY.getTime() + DAY_MS / 2));
    }
  });

  test("lets mails that recipients are given for wait, and loses none", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 10 });
    const listId = await bench.addList(accountId);
    const emails = people(25);
    const ids = await bench.addSubscribers(emails, listId, accountId);
    const contacts = await bench.db.many<{ id: string; contact_id: string }>(
      sql`select id, contact_id from subscribers where account_id = ${accountId} and id = any(${ids}::uuid[])`,
    );
    const ownerId = newId(clock);
    const sourceId = await bench.ctx(async (ctx) => {
      const revisionId = await storeRevision(ctx.sql, ctx.accountId, { subject: "Hello" }, clock);
      const given = { ownerId, stream: "automation", revisionId, onAmbiguous: "resend", listId } as const;
      const opened = await openSource(ctx, { ...given, hasInstanceServer: true });
      await addRecipients(
        ctx,
        bench.owner,
        opened,
        contacts.map((one) => ({ contactId: one.contact_id, subscriberId: one.id })),
      );
      return opened;
    }, accountId);
    const sender = await start();
    const sent = async () => (await bench.counts(ownerId, accountId)).sent;
    await until(async () => (await sent()) === 10);
    await sleep(700);
    assert.equal(await sent(), 10);
    assert.ok(sourceId);
    await allow(accountId, { mails: 25 });
    await until(async () => (await sent()) === 25);
    await sender.stop();
  });

  test("that is used up keeps senders from nothing else, and is looked at now and then alone", async () => {
    const [accountId, other] = [await bench.addAccount(), await bench.addAccount()];
    await allow(accountId, { mails: 0 });
    let looks = 0;
    const counting = new Proxy(bench.db, {
      get: (db, name) => {
        if (name === "transaction") looks += 1;
        const value = Reflect.get(db, name);
        return typeof value === "function" ? value.bind(db) : value;
      },
    });
    const waves = [];
    for (let n = 0; n < 8; n++)
      waves.push(await launchTo(people(3), accountId, { stream: n % 2 ? "automation" : "transactional" }));
    const sender = await bench.startSender(composeSimply, {
      db: counting,
      relay: { host: "127.0.0.1", port: server.port, backOff: { firstMs: 10, maxMs: 50 } },
      internalHosts: ["127.0.0.1"],
    });
    // All of them are planned, and seen once.
    await until(async () => {
      const found = await bench.db.many(sql`select from runnable where account_id = ${accountId}`);
      return found.length === waves.length;
    });
    await sleep(1_500);
    looks = 0;
    await sleep(3_000);
    assert.ok(looks <= 8, `${looks} looks in three seconds at an account that has no mails left`);
    const id = await launchTo(people(20), other);
    await ended(id);
    const since = performance.now();
    await allow(accountId, { mails: 100 });
    for (const wave of waves) await until(async () => (await sentOf(wave, accountId)) === 3);
    const ms = performance.now() - since;
    assert.ok(ms < 4_000, `mails that are allowed are sent at once: it took ${ms} ms`);
    await sender.stop();
  });

  test("that is used up but for a mail that is under way is looked at once a second, however many sources wait", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 1 });
    let looks = 0;
    const counting = new Proxy(bench.db, {
      get: (db, name) => {
        if (name === "transaction") looks += 1;
        const value = Reflect.get(db, name);
        return typeof value === "function" ? value.bind(db) : value;
      },
    });
    const [begun, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const composeSlowly: typeof composeSimply = async (...args) => {
      const compose = await composeSimply(...args);
      return async (recipients, ...more) => {
        if (recipients.some(({ email }) => email === "held@a.example")) {
          begun.resolve();
          await goesOn.promise;
        }
        return compose(recipients, ...more);
      };
    };
    const sender = await bench.startSender(composeSlowly, {
      db: counting,
      relay: { host: "127.0.0.1", port: server.port, backOff: { firstMs: 10, maxMs: 50 } },
      internalHosts: ["127.0.0.1"],
    });
    const first = await launchTo(["held@a.example"], accountId, { stream: "automation" });
    await begun.promise;
    const waves: string[] = [];
    for (let n = 0; n < 100; n++) waves.push(await launchTo(people(1), accountId, { stream: "automation" }));
    const readPlanned = () => bench.db.many(sql`select from runnable where account_id = ${accountId}`);
    await until(async () => (await readPlanned()).length >= waves.length);
    await sleep(1_500);
    looks = 0;
    await sleep(3_000);
    assert.ok(looks <= 10, `${looks} looks in three seconds at an account that has no mails left`);
    goesOn.resolve();
    await until(async () => (await sentOf(first, accountId)) === 1);
    await allow(accountId, { mails: 101 });
    for (const wave of waves) await until(async () => (await sentOf(wave, accountId)) === 1);
    await assertAtRest(accountId, 101);
    await sender.stop();
  });

  test("is counted row by row for transactional mail only where whole batches leave too little", async () => {
    const accountId = await bench.addAccount();
    await allow(accountId, { mails: 1_000 });
    let counts = 0;
    const counting = new Proxy(bench.db, {
      get: (db, name) => {
        if (name === "one") counts += 1;
        const value = Reflect.get(db, name);
        return typeof value === "function" ? value.bind(db) : value;
      },
    });
    const room = async (wanted: number) => {
      counts = 0;
      const found = await readMailRoom(counting, accountId, clock.now(), wanted);
      return [found?.left, counts];
    };
    assert.deepEqual(await room(100), [1_000, 2]);
    assert.deepEqual(await room(1_001), [1_000, 4]);
  });
});
