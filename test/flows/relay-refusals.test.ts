import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pauseSource, resumeSource } from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { takeOver } from "../../src/platform/workers/workers.ts";
import { assertAgree, type Bench, composeSimply, countTwice, createBench } from "../support/delivery.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

/** These are refusals of relays that don't know us, none of them with an enhanced status code. */
const RELAY_REFUSES = [
  "550 relay not permitted",
  "550 Relaying denied",
  "553 sorry, that domain isn't in my list of allowed rcpthosts",
  "554 Recipient address rejected: Access denied",
  "530 SMTP authentication is required.",
  "550 Delivery is not allowed to this address.",
  "550 Administrative prohibition",
  "554 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org",
  "550 Your account has been suspended",
  "550 No",
];

/** Undefined stands for no answer at all. */
type Answer = (to: string) => string | undefined;
const acceptAll: Answer = () => "250 ok";

describe("a relay that refuses recipients", () => {
  let bench: Bench;
  let server: ScriptedServer;
  let answer: Answer;
  let sender: { stop(): Promise<void> } | undefined;
  /** The connections that get no answer any more. */
  const hung: Socket[] = [];
  const hangUp = () => {
    for (const peer of hung.splice(0)) peer.destroy();
  };
  let lists = 0;
  before(async () => {
    bench = await createBench({ hasRelay: true });
    await bench.startJobs();
    server = await startScriptedServer({
      RCPT: (peer) => {
        const reply = answer(addressIn(server.lines.at(-1) ?? ""));
        if (reply) peer.write(`${reply}\r\n`);
        else hung.push(peer.pause());
      },
      DATA: (peer) => {
        peer.write("354 go on\r\n");
        return "body";
      },
    });
  });
  afterEach(async () => {
    hangUp();
    await sender?.stop();
    sender = undefined;
  });
  after(async () => {
    await server.close();
    await bench.stop();
  });

  const addressIn = (line: string) => /<(.*)>/.exec(line)?.[1] ?? "";

  async function startSender(connections = 4): Promise<void> {
    const backOff = { firstMs: 10, maxMs: 50 };
    const relay = { host: "127.0.0.1", port: server.port, maxConnections: connections, backOff };
    sender = await bench.startSender(composeSimply, { relay, firstRetryMs: 100 });
  }

  /** Launches a campaign to people at several domains, unless a test wants one. */
  async function launch(count: number, domains = 5): Promise<string> {
    const listId = await bench.addList();
    const name = `list${++lists}`;
    const emails = Array.from({ length: count }, (_, n) => `person${n}@d${n % domains}.${name}.example`);
    await bench.addSubscribers(emails, listId);
    return bench.launch({ audience: { listId, segmentId: null } });
  }

  /** Returns the people of the source's list who received messages, each as often as one came. */
  async function receivedBy(id: string): Promise<string[]> {
    const rows = await bench.db.many<{ email: string }>(sql`
      select s.email from deliveries d join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
      where d.source_id = ${id}`);
    const own = new Set(rows.map(({ email }) => email));
    const received = server.messages.map((message) => /^To: (.*)$/m.exec(message.toString())?.[1] ?? "");
    return received.filter((to) => own.has(to));
  }
  /** Counts the source's people who are suppressed or no longer active. */
  async function harmedBy(id: string): Promise<number> {
    const { harmed } = await bench.db.one<{ harmed: number }>(sql`
      select count(*) as harmed from deliveries d
      join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
      where d.source_id = ${id} and (s.status <> 'active'
        or exists (select from suppressions x where x.account_id = d.account_id and x.contact_id = d.contact_id))`);
    return harmed;
  }
  const isPaused = (id: string) => until(() => bench.ended.get(id)?.kind === "paused");
  const hasEnded = (id: string) => until(() => bench.ended.get(id)?.kind === "done");

  /**
   * Asserts that the source is paused for us to fix something, with everybody still to be sent, and that everybody
   * gets it once when it is fixed and resumed.
   */
  async function assertNobodyLost(id: string, count: number, alreadySent = 0): Promise<void> {
    await isPaused(id);
    const { detail: _words, ...how } = bench.ended.get(id) as {
      kind: string;
      reason: string;
      detail: string;
    };
    assert.deepEqual(how, { kind: "paused", reason: "transport_rejected" });
    await until(async () => {
      const { queued, failed, sent } = await bench.counts(id);
      assert.equal(failed, 0);
      const { inflight } = await bench.db.one<{ inflight: number }>(
        sql`select count(*) as inflight from deliveries where source_id = ${id} and state = 'inflight'`,
      );
      return inflight === 0 && queued === count - sent && sent >= alreadySent;
    });
    assert.equal(await harmedBy(id), 0);
    await assertEverybodyGetsIt(id, count);
  }

  async function assertEverybodyGetsIt(id: string, count: number): Promise<void> {
    answer = acceptAll;
    bench.ended.delete(id);
    await bench.ctx((ctx) => resumeSource(ctx, id));
    await hasEnded(id);
    const received = await receivedBy(id);
    assert.deepEqual([received.length, new Set(received).size], [count, count]);
    assert.equal((await bench.counts(id)).sent, count);
    assert.equal(await harmedBy(id), 0);
    assertAgree(await countTwice(bench, bench.accountId, id));
  }

  for (const reply of RELAY_REFUSES) {
    test(`that says "${reply}" to all 60 loses and suppresses nobody; once it is mended all 60 get it`, async () => {
      answer = () => reply;
      await startSender();
      await assertNobodyLost(await launch(60), 60);
    });
  }

  test("that finds a user unknown among those it takes: these are hard bounces, and suppressed, as before", async () => {
    const isGone = (to: string) => /^person\d*[37]@/.test(to);
    answer = (to) => (isGone(to) ? "550 No such user here" : "250 ok");
    await startSender();
    const id = await launch(60);
    await hasEnded(id);
    const { sent, failed, bounces } = await bench.counts(id);
    assert.deepEqual({ sent, failed, hard: bounces.hard }, { sent: 48, failed: 12, hard: 12 });
    assert.equal(await harmedBy(id), 12);
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("that refuses one among those it takes fails that one as a block, and suppresses nobody", async () => {
    answer = (to) => (to.startsWith("person30@") ? "550 Administrative prohibition" : "250 ok");
    await startSender();
    const id = await launch(60);
    await hasEnded(id);
    const { sent, bounces } = await bench.counts(id);
    assert.deepEqual({ sent, block: bounces.block }, { sent: 59, block: 1 });
    assert.equal(await harmedBy(id), 0);
  });

  const alone: readonly [reply: string, bounce: "hard" | "soft" | "block", harmed: number][] = [
    ["550 relay not permitted", "block", 0],
    ["554 5.3.0 Something is wrong here", "block", 0],
    ["552 5.2.2 Mailbox full", "soft", 0],
    ["550 5.1.1 User unknown", "block", 0],
  ];
  for (const [reply, bounce, harmed] of alone) {
    test(`that says "${reply}" to a list of one, where nothing else can tell: ${bounce}`, async () => {
      answer = () => reply;
      await startSender();
      const id = await launch(1);
      await hasEnded(id);
      const { failed, bounces } = await bench.counts(id);
      assert.deepEqual({ failed, [bounce]: bounces[bounce] }, { failed: 1, [bounce]: 1 });
      assert.equal(await harmedBy(id), harmed);
    });
  }

  test("all five of a small list are refused and nobody was ever taken: it is about us", async () => {
    answer = () => "550 relay not permitted";
    await startSender();
    await assertNobodyLost(await launch(5), 5);
  });

  test("that takes mail for its own domain alone: whom it won't relay for is not lost", async () => {
    answer = (to) => (to.includes("@d0.") ? "250 ok" : "550 relay not permitted");
    await startSender();
    await assertNobodyLost(await launch(60), 60);
    answer = (to) => (to.includes("@d0.") ? "250 ok" : "550 relay not permitted");
    await assertNobodyLost(await launch(10), 10, 2);
  });

  test("to which every user is unknown: twenty in a row, and nobody taken, are about us", async () => {
    answer = () => "550 5.1.1 User unknown";
    await startSender();
    await assertNobodyLost(await launch(60), 60);
    answer = () => "550 5.1.1 User unknown";
    await assertNobodyLost(await launch(60, 1), 60);
  });

  test("that loses its directory in mid-send: from then on every user is unknown, and nobody is suppressed", async () => {
    let taken = 0;
    answer = () => (++taken <= 100 ? "250 ok" : "550 5.1.1 User unknown");
    await startSender();
    await assertNobodyLost(await launch(300), 300, 100);
  });

  test("that refuses the sender in mid-send, in German and on two domains: nobody is suppressed", async () => {
    let taken = 0;
    answer = () => (++taken <= 100 ? "250 ok" : "550 Absenderadresse unbekannt");
    await startSender();
    await assertNobodyLost(await launch(300, 2), 300, 100);
  });

  test("that defers nearly all, and then finds every mailbox unavailable: nobody is suppressed", async () => {
    const seen = new Set<string>();
    let taken = 0;
    answer = (to) => {
      if (taken < 5 && ++taken) return "250 ok";
      if (seen.has(to)) return "550 Requested action not taken: mailbox unavailable";
      seen.add(to);
      return "451 4.7.1 Greylisted, try again";
    };
    await startSender();
    await assertNobodyLost(await launch(300, 50), 300, 5);
  });

  test("the last two of a list, unknown by their status, are hard bounces where the others were taken", async () => {
    let asked = 0;
    answer = () => (++asked <= 58 ? "250 ok" : "550 5.1.1 User unknown");
    await startSender(1);
    const id = await launch(60);
    await hasEnded(id);
    const { sent, bounces } = await bench.counts(id);
    assert.deepEqual({ sent, hard: bounces.hard }, { sent: 58, hard: 2 });
    assert.equal(await harmedBy(id), 2);
  });

  test("one dead domain among others, however many of its users there are, is hard bounces", async () => {
    answer = (to) => (to.includes("@d0.") ? "550 5.1.2 Host unknown" : "250 ok");
    await startSender();
    const id = await launch(200);
    await hasEnded(id);
    const { sent, bounces } = await bench.counts(id);
    assert.deepEqual({ sent, hard: bounces.hard }, { sent: 160, hard: 40 });
  });

  /**
   * Launches a campaign whose first recipient is refused. The answer to the second could decide what that means, and
   * doesn't come.
   */
  async function launchUndecided(reply: string): Promise<string> {
    let asked = 0;
    answer = () => (++asked === 1 ? reply : undefined);
    await startSender(2);
    const id = await launch(12);
    await until(() => asked >= 3);
    const states = await bench.db.many<{ state: string }>(
      sql`select distinct state from deliveries where source_id = ${id}`,
    );
    assert.deepEqual(
      states.filter(({ state }) => !["ready", "inflight"].includes(state)),
      [],
    );
    return id;
  }

  for (const reply of ["550 relay not permitted", "550 5.1.1 User unknown"]) {
    test(`"${reply}", not settled yet when the sender stops, was never tried`, async () => {
      const id = await launchUndecided(reply);
      await sender?.stop();
      assert.equal((await bench.counts(id)).queued, 12);
      answer = acceptAll;
      await startSender();
      await hasEnded(id);
      assert.equal((await receivedBy(id)).length, 12);
      assert.equal(await harmedBy(id), 0);
    });

    test(`"${reply}", not settled yet when the campaign is paused, was never tried`, async () => {
      const id = await launchUndecided(reply);
      await bench.ctx((ctx) => pauseSource(ctx, id));
      // Messages that were admitted right before the pause may begin within 200 ms of it.
      await sleep(300);
      answer = acceptAll;
      hangUp();
      await until(async () => {
        const { failed, queued } = await bench.counts(id);
        assert.deepEqual({ failed, queued }, { failed: 0, queued: 12 });
        const { open } = await bench.db.one<{ open: number }>(
          sql`select count(*) as open from deliveries where source_id = ${id} and state = 'inflight'`,
        );
        return open === 0;
      });
      await assertEverybodyGetsIt(id, 12);
    });

    test(`"${reply}", not settled yet when the sender is taken over, was never tried`, async () => {
      const id = await launchUndecided(reply);
      const worker = await bench.db.one<{ id: string; epoch: number; beat: number }>(
        sql`select id, epoch, beat from workers where kind = 'sender' order by started_at desc limit 1`,
      );
      answer = acceptAll;
      const seen = { ...worker, kind: "sender", lock_name: null } as const;
      assert.ok(await takeOver(bench.db, seen, async () => undefined));
      await hasEnded(id);
      assert.equal((await receivedBy(id)).length, 12);
      assert.equal((await bench.counts(id)).sent, 12);
      assert.equal(await harmedBy(id), 0);
    });
  }
});
