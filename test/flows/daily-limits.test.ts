/** What a new account may send in a day, with real senders and a real server: never more, whoever sends and whoever dies. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { changeLimits, drawMails, giveBackMails, noteReviewed } from "../../src/accounts/accounts.ts";
import { readProgress, sendTestMessages } from "../../src/delivery/delivery.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import type { AppError } from "../../src/platform/problems.ts";
import {
  assertAgree,
  type Bench,
  composeSimply,
  countTwice,
  createBench,
  people,
} from "../support/delivery.ts";
import { type Script, type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

const DAY_MS = 24 * 3_600_000;

/** The clock of this machine, moved to any day. */
function createMovedClock(): Clock & { moveTo(iso: string): void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    monotonicMs: () => systemClock.monotonicMs(),
    moveTo(iso) {
      offsetMs = new Date(iso).getTime() - Date.now();
    },
  };
}

describe("the daily limit of a new account", () => {
  const clock = createMovedClock();
  const today = new Date();
  const noonIn = (days: number) =>
    new Date(Math.floor(today.getTime() / DAY_MS) * DAY_MS + (days + 0.5) * DAY_MS).toISOString();
  let bench: Bench;
  const servers: ScriptedServer[] = [];
  before(async () => {
    bench = await createBench({ hasRelay: true, clock });
    await bench.startJobs();
  });
  after(async () => {
    await bench.stop();
    await Promise.all(servers.map((server) => server.close()));
  });

  async function startRelay(script: Script = {}): Promise<ScriptedServer> {
    const server = await startScriptedServer(script);
    servers.push(server);
    return server;
  }
  const startSender = (server: ScriptedServer, connections = 4) =>
    bench.startSender(composeSimply, {
      relay: {
        host: "127.0.0.1",
        port: server.port,
        maxConnections: connections,
        backOff: { firstMs: 10, maxMs: 50 },
      },
      firstRetryMs: 100,
    });
  const bodies = ({ messages }: ScriptedServer) => messages.filter((message) => message.length > 0).length;

  /** Adds an account whose campaigns nobody looks at before they leave. */
  async function addAccount(): Promise<string> {
    const accountId = await bench.addAccount({ isNew: true });
    await bench.ctx(({ sql: tx }) => noteReviewed(tx, accountId, clock.now()));
    return accountId;
  }

  async function launch(accountId: string, count: number): Promise<string> {
    const listId = await bench.addList(accountId);
    await bench.addSubscribers(people(count), listId, accountId);
    return bench.launch({ audience: { listId, segmentId: null } }, accountId);
  }
  const dayOf = (accountId: string) =>
    bench.db.maybeOne<{ allowed: number; drawn: number }>(sql`
      select allowed, drawn from account_days where account_id = ${accountId} and day = ${clock.now()}::date`);
  const progressOf = async (accountId: string, id: string) =>
    (await readProgress(bench.db, accountId, [id], clock.now())).get(id);
  const sentOf = async (accountId: string, id: string) => (await bench.counts(id, accountId)).sent;
  const isWaiting = (accountId: string, id: string) =>
    until(async () => (await progressOf(accountId, id))?.phase === "waiting");
  /** Waits until the day is used up and everything that was drawn is used, and then long enough to see more leave, if any would. */
  async function isUsedUp(accountId: string, id: string, sent: number): Promise<void> {
    await until(async () => (await sentOf(accountId, id)) >= sent);
    await isWaiting(accountId, id);
    await sleep(700);
    assert.equal(await sentOf(accountId, id), sent);
  }

  test("the only account of an instance has none, and keeps having none beside a second one", async () => {
    clock.moveTo(noonIn(0));
    const server = await startRelay();
    const sender = await startSender(server);
    const alone = await launch(bench.accountId, 260);
    await until(() => bench.ended.has(alone));
    const other = await addAccount();
    const beside = await launch(bench.accountId, 260);
    await until(() => bench.ended.has(beside));
    assert.equal(bodies(server), 520);
    assert.equal(await dayOf(bench.accountId), undefined);
    assert.equal(
      (await bench.db.many(sql`select from account_probations where account_id = ${other}`)).length,
      1,
    );
    await sender.stop();
  });

  test("two senders at once send exactly 200 on the first day, and what is left goes on by itself, 400 on the next", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await addAccount();
    const server = await startRelay();
    const senders = [await startSender(server), await startSender(server)];
    const id = await launch(accountId, 700);
    await isUsedUp(accountId, id, 200);
    assert.equal(bodies(server), 200);
    const progress = await progressOf(accountId, id);
    const midnight = new Date(`${noonIn(1).slice(0, 10)}T00:00:00Z`);
    assert.deepEqual(
      [progress?.eta, progress?.dailyLimit],
      [null, { allowed: 200, used: 200, until: midnight }],
    );
    const { untouched } = await bench.db.one<{ untouched: number }>(sql`
      select count(*) as untouched from deliveries
      where account_id = ${accountId} and state = 'ready' and attempt = 0 and changed_at = planned_at`);
    assert.equal(untouched, 500, "what is held was not written to");
    clock.moveTo(noonIn(1));
    await isUsedUp(accountId, id, 600);
    assert.equal(bodies(server), 600);
    assert.equal((await dayOf(accountId))?.allowed, 400);
    clock.moveTo(noonIn(2));
    await until(() => bench.ended.has(id));
    assert.equal(bodies(server), 700);
    assertAgree(await countTwice(bench, accountId, id));
    await Promise.all(senders.map((sender) => sender.stop()));
    const { drawn } = (await dayOf(accountId)) ?? { drawn: -1 };
    assert.equal(drawn, 100, "what was drawn and not used was given back");
  });

  test("a mail that a server puts off costs one mail of the day, however often it is tried; one that is refused costs one too", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await addAccount();
    const server = await startRelay({
      dot: ["451 4.3.0 later", "250 ok", "554 5.6.0 no", "250 ok"],
    });
    const sender = await startSender(server, 1);
    const id = await launch(accountId, 20);
    await until(() => bench.ended.has(id));
    const { sent, failed } = await bench.counts(id, accountId);
    assert.deepEqual([sent, failed], [19, 1]);
    await sender.stop();
    assert.deepEqual(await dayOf(accountId), { allowed: 200, drawn: 20 });
  });

  test("tests count too, and are refused where fewer mails are left of the day", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await addAccount();
    const messages = Array.from({ length: 5 }, () => ({
      from: "a@example.com",
      to: "b@example.net",
      message: Buffer.from("Subject: Test\r\n\r\nTest\r\n"),
    }));
    const way = { stream: "campaign", hasRelay: true, isSandbox: false } as const;
    const send = () => bench.ctx((ctx) => sendTestMessages(ctx, messages, way), accountId);
    await send();
    assert.equal((await dayOf(accountId))?.drawn, 5);
    await bench.db.execute(sql`update account_days set drawn = 198 where account_id = ${accountId}`);
    await assert.rejects(send, ({ problem }: AppError) => problem.code === "daily_limit_reached");
    assert.equal((await dayOf(accountId))?.drawn, 198);
  });

  test("a right of yesterday sends nothing today: what waits at midnight counts on the day on which it leaves", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await addAccount();
    let isSlow = true;
    const held: (() => void)[] = [];
    const server = await startRelay({
      MAIL: (peer) => {
        const answer = () => peer.write("250 ok\r\n");
        if (isSlow) held.push(answer);
        else answer();
      },
    });
    const sender = await startSender(server, 2);
    const id = await launch(accountId, 20);
    // The rest is drawn a moment after the first, where the sender took some before all were planned.
    await until(async () => held.length > 0 && (await dayOf(accountId))?.drawn === 20);
    clock.moveTo(noonIn(1));
    isSlow = false;
    for (const answer of held) answer();
    await until(() => bench.ended.has(id));
    assert.equal(bodies(server), 20);
    await sender.stop();
    assert.equal((await dayOf(accountId))?.drawn, 20, "all were drawn anew");
  });

  test("neighbours go on while an account waits, and a day that was hardly used doubles nothing", async () => {
    clock.moveTo(noonIn(0));
    const [waiting, small] = [await addAccount(), await addAccount()];
    const server = await startRelay();
    const sender = await startSender(server);
    const held = await launch(waiting, 230);
    await isUsedUp(waiting, held, 200);
    const few = await launch(small, 5);
    await until(() => bench.ended.has(few));
    const own = await launch(bench.accountId, 50);
    await until(() => bench.ended.has(own));
    clock.moveTo(noonIn(1));
    const more = await launch(small, 5);
    await until(() => bench.ended.has(more) && bench.ended.has(held));
    assert.deepEqual([(await dayOf(small))?.allowed, (await dayOf(waiting))?.allowed], [200, 400]);
    await sender.stop();
  });

  test("an account that earned more than 50,000 a day is limited no more", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await addAccount();
    const server = await startRelay();
    const sender = await startSender(server);
    await bench.db.execute(sql`
      insert into account_days (account_id, day, allowed, drawn)
      select ${accountId}, ${clock.now()}::date - 9 + n, 200 * (2 ^ n)::int, 200 * (2 ^ n)::int from generate_series(0, 7) as n`);
    const id = await launch(accountId, 250);
    await until(() => bench.ended.has(id));
    assert.equal(await dayOf(accountId), undefined);
    const { ended } = await bench.db.one<{ ended: boolean }>(
      sql`select ended_at is not null as ended from account_probations where account_id = ${accountId}`,
    );
    assert.equal(ended, true);
    await sender.stop();
  });

  /** An operator's word, as the route of operators gives it. */
  const allow = (accountId: string, limit: number | null) =>
    bench.ctx((ctx) => changeLimits(ctx, { daily_mail_limit: limit }, undefined), accountId);

  test("an operator's limit is kept exactly by two senders, also where it is made less or more during the day", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await bench.addAccount();
    await allow(accountId, 120);
    const server = await startRelay();
    const senders = [await startSender(server), await startSender(server)];
    const id = await launch(accountId, 400);
    await isUsedUp(accountId, id, 120);
    assert.deepEqual((await progressOf(accountId, id))?.dailyLimit?.allowed, 120);
    await allow(accountId, 170);
    await isUsedUp(accountId, id, 170);
    await allow(accountId, 50);
    await isUsedUp(accountId, id, 170);
    assert.equal(bodies(server), 170);
    clock.moveTo(noonIn(1));
    await isUsedUp(accountId, id, 220);
    await allow(accountId, null);
    await until(() => bench.ended.has(id));
    assert.equal(bodies(server), 400);
    await Promise.all(senders.map((sender) => sender.stop()));
  });

  test("less than what senders have drawn lets nothing more leave, even where they give some back", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await bench.addAccount();
    await allow(accountId, 100);
    const draw = (wanted: number) =>
      drawMails(bench.db, accountId, { day: noonIn(0).slice(0, 10), now: clock.now(), wanted });
    assert.equal(await draw(60), 60);
    await allow(accountId, 40);
    await giveBackMails(bench.db, accountId, { day: noonIn(0).slice(0, 10), unused: 10 });
    assert.equal(await draw(5), 0);
    await giveBackMails(bench.db, accountId, { day: noonIn(0).slice(0, 10), unused: 15 });
    assert.equal(await draw(10), 5, "35 were used of 40");
  });

  test("of both limits of a new account the lower counts, and trust is earned by what probation allowed", async () => {
    clock.moveTo(noonIn(0));
    const accountId = await addAccount();
    await allow(accountId, 15);
    const server = await startRelay();
    const sender = await startSender(server);
    const id = await launch(accountId, 700);
    await isUsedUp(accountId, id, 15);
    clock.moveTo(noonIn(1));
    await isUsedUp(accountId, id, 30);
    await allow(accountId, 1_000);
    await isUsedUp(accountId, id, 215);
    assert.equal((await dayOf(accountId))?.allowed, 200, "15 of 200 made no clean day");
    clock.moveTo(noonIn(2));
    await until(
      () => bench.ended.has(id) || progressOf(accountId, id).then((now) => now?.phase === "waiting"),
    );
    assert.equal((await dayOf(accountId))?.allowed, 400);
    await sender.stop();
  });
});
