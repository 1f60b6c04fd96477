/** Delivery pauses a source by itself when too many of its mails bounce or are complained about. */
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, afterEach, before, beforeEach, describe, test } from "node:test";
import { updateAccount } from "../../src/accounts/accounts.ts";
import type { GuardrailsPatch } from "../../src/accounts/settings/guardrails.ts";
import {
  cancelSource,
  noteFeedback,
  pauseSource,
  readHolds,
  resumeSource,
  type SourceOwner,
  type Warning,
} from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { assertAgree, type Bench, composeSimply, countTwice, createBench } from "../support/delivery.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

const UNKNOWN = "550 5.1.1 User unknown";
type Answer = (to: string) => string | undefined;
/** Refuses every nth person for good. */
const refuseEvery =
  (nth: number): Answer =>
  (to) =>
    Number(/^person(\d+)@/.exec(to)?.[1]) % nth === 0 ? UNKNOWN : "250 ok";
const acceptAll: Answer = () => "250 ok";

describe("guardrails", () => {
  let bench: Bench;
  let server: ScriptedServer;
  let answer: Answer;
  let senders: { stop(): Promise<void> }[] = [];
  const hung: Socket[] = [];
  let lists = 0;
  /** Each test has an account of its own, because a hold is the account's. */
  let accountId: string;
  let pauses: { id: string; reason: string; detail: string | undefined }[] = [];
  let warnings: ({ id: string } & Warning)[] = [];
  let owner: SourceOwner;

  before(async () => {
    bench = await createBench({ hasRelay: true });
    await bench.startJobs();
    server = await startScriptedServer({
      RCPT: (peer) => {
        const reply = answer(/<(.*)>/.exec(server.lines.at(-1) ?? "")?.[1] ?? "");
        if (reply) peer.write(`${reply}\r\n`);
        else hung.push(peer.pause());
      },
      DATA: (peer) => {
        peer.write("354 go on\r\n");
        return "body";
      },
    });
    owner = {
      ...bench.owner,
      async sourceEnded(ctx, source, how) {
        await bench.owner.sourceEnded(ctx, source, how);
        if (how.kind !== "paused") return;
        const { reason, detail } = how;
        ctx.sql.afterCommit(() => pauses.push({ id: source.ownerId, reason, detail }));
      },
      async sourceWarned(ctx, source, warning) {
        ctx.sql.afterCommit(() => warnings.push({ id: source.ownerId, ...warning }));
      },
    };
  });
  beforeEach(async () => {
    accountId = await bench.addAccount();
    pauses = [];
    warnings = [];
    answer = acceptAll;
  });
  afterEach(async () => {
    await Promise.all(senders.map((sender) => sender.stop()));
    senders = [];
    for (const peer of hung.splice(0)) peer.destroy();
  });
  after(async () => {
    await server.close();
    await bench.stop();
  });

  async function startSender(connections = 2): Promise<void> {
    const backOff = { firstMs: 10, maxMs: 50 };
    const relay = { host: "127.0.0.1", port: server.port, maxConnections: connections, backOff };
    senders.push(await bench.startSender(composeSimply, { relay, owner, firstRetryMs: 100 }));
  }

  async function launch(people: number, account = accountId): Promise<string> {
    const listId = await bench.addList(account);
    const name = `list${++lists}`;
    const emails = Array.from({ length: people }, (_, n) => `person${n}@d${n % 40}.${name}.example`);
    await bench.addSubscribers(emails, listId, account);
    return bench.launch({ audience: { listId, segmentId: null } }, account);
  }

  const counts = (id: string) => bench.counts(id, accountId);
  const set = (guardrails: GuardrailsPatch, account = accountId) =>
    bench.ctx((ctx) => updateAccount(ctx, { guardrails }, undefined, async () => true), account);
  const resume = (id: string) => {
    bench.ended.delete(id);
    return bench.ctx((ctx) => resumeSource(ctx, id), accountId);
  };
  const untilPaused = (id: string) => until(() => bench.ended.get(id)?.kind === "paused");
  const untilDone = (id: string) => until(() => bench.ended.get(id)?.kind === "done");
  const holds = (account = accountId) => readHolds(bench.db, account, new Date(0));
  const untilSettled = (id: string) =>
    until(async () => {
      const { open } = await bench.db.one<{ open: number }>(
        sql`select count(*) as open from deliveries where source_id = ${id} and state = 'inflight'`,
      );
      return open === 0;
    });

  /** Returns how often each person of the source's list was sent the mail. */
  async function receivedTimes(id: string): Promise<number[]> {
    const rows = await bench.db.many<{ email: string }>(sql`
      select s.email from deliveries d join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
      where d.source_id = ${id}`);
    const received = server.messages.map((message) => /^To: (.*)$/m.exec(message.toString())?.[1] ?? "");
    const times = new Map(rows.map(({ email }) => [email, 0]));
    for (const to of received) if (times.has(to)) times.set(to, (times.get(to) ?? 0) + 1);
    return [...times.values()];
  }

  async function contactsOf(id: string, state: string): Promise<string[]> {
    const rows = await bench.db.many<{ contact_id: string }>(
      sql`select contact_id from deliveries where source_id = ${id} and state = ${state} order by 1`,
    );
    return rows.map((row) => row.contact_id);
  }

  /** Returns whether it was counted. */
  const feedback = async (
    sourceId: string,
    contactId: string,
    kind: "hard_bounce" | "complaint",
    account = accountId,
  ) => {
    const one = { sourceId, contactId, kind, at: bench.clock.now(), itemId: newId(bench.clock) };
    const [noted] = await bench.ctx((ctx) => noteFeedback(ctx, owner, [one]), account);
    return noted === "new";
  };

  test("a tenth of hard bounces pauses a source once 200 mails were tried, and a resume counts anew", async () => {
    answer = refuseEvery(10);
    await startSender();
    const id = await launch(900);
    await untilPaused(id);
    await untilSettled(id);
    const first = await counts(id);
    const tried = first.sent + first.failed;
    assert.ok(tried >= 200 && tried < 320, `${tried} were tried`);
    assert.ok(first.bounces.hard / tried >= 0.05);
    assert.equal(first.queued, 900 - tried, "nobody is lost");
    const [pause] = pauses;
    assert.equal(pause?.reason, "hard_bounces");
    assert.match(pause?.detail ?? "", /^\d+ of 2\d\d mails bounced hard \([\d.]+%\); the limit is 5%$/);
    assertAgree(await countTwice(bench, accountId, id));

    await resume(id);
    await untilPaused(id);
    await untilSettled(id);
    const second = await counts(id);
    const triedSince = second.sent + second.failed - tried;
    assert.ok(triedSince >= 200 && triedSince < 320, `${triedSince} were tried since the resume`);

    answer = acceptAll;
    await resume(id);
    await untilDone(id);
    const last = await counts(id);
    assert.deepEqual([last.queued, last.sent + last.failed], [0, 900]);
    assert.equal(last.bounces.hard, second.bounces.hard);
    const received = await receivedTimes(id);
    assert.equal(received.filter((times) => times === 1).length, last.sent);
    assert.ok(received.every((times) => times <= 1));
    assert.equal(pauses.length, 2);
    assert.deepEqual(await holds(), [], "what a person has decided about holds nothing");
    assertAgree(await countTwice(bench, accountId, id));
  });

  test("bounces at the very beginning pause at the 200th mail, though it is an accepted one", async () => {
    let asked = 0;
    answer = () => (++asked <= 40 && asked % 3 === 0 ? UNKNOWN : "250 ok");
    await startSender(1);
    const id = await launch(600);
    await untilPaused(id);
    await untilSettled(id);
    const { sent, failed, bounces } = await counts(id);
    assert.equal(bounces.hard, 13);
    assert.ok(sent + failed >= 200 && sent + failed < 300, `${sent + failed} were tried`);
    assert.equal(pauses[0]?.reason, "hard_bounces");
  });

  test("below 200 mails, and below 5%, nothing pauses or holds", async () => {
    answer = refuseEvery(4);
    await startSender();
    const small = await launch(199);
    await untilDone(small);
    assert.equal((await counts(small)).bounces.hard, 50);
    // Nine are less than 5% of 200, however early they come.
    answer = refuseEvery(60);
    const large = await launch(500);
    await untilDone(large);
    assert.equal((await counts(large)).bounces.hard, 9);
    assert.deepEqual([pauses, warnings, await holds()], [[], [], []]);
  });

  test("a source whose last mail makes it too many isn't paused with nobody left: it holds the next one", async () => {
    answer = refuseEvery(10);
    await startSender();
    const id = await launch(200);
    await untilDone(id);
    assert.deepEqual(pauses, []);
    const [hold, ...others] = await holds();
    assert.equal(others.length, 0);
    assert.match(hold?.detail ?? "", /^20 of 200 mails bounced hard \(10%\); the limit is 5% \(cmp_\w+\)$/);
    assert.deepEqual(
      warnings.map((one) => [one.id, one.reason, one.holdsNext]),
      [[id, "hard_bounces", true]],
    );
  });

  test("each account has its own limits, and a neighbour's bounces are its own", async () => {
    const neighbour = await bench.addAccount();
    await set({ hard_bounce_after_mails: 40, hard_bounce_pause_rate: 0.2 }, neighbour);
    await set({ hard_bounce_pause_rate: 0.2 });
    const theirs = await launch(400, neighbour);
    const ours = await launch(400);
    const domain = `list${lists}.example`;
    // A third of the neighbour's people are gone, and a tenth of ours.
    answer = (to) => (to.endsWith(domain) ? refuseEvery(10)(to) : refuseEvery(3)(to));
    await startSender();
    await untilPaused(theirs);
    await untilDone(ours);
    const { sent, failed } = await bench.counts(theirs, neighbour);
    assert.ok(sent + failed >= 40 && sent + failed < 160, `${sent + failed} were tried`);
    assert.equal((await counts(ours)).bounces.hard, 40);
    assert.deepEqual(
      pauses.map(({ id }) => id),
      [theirs],
    );
    assert.deepEqual(await holds(), []);
  });

  test("two senders at once sum up what both have seen, and one of them pauses", async () => {
    // Neither has 20 hard bounces of 400 by itself when both together have.
    await set({ hard_bounce_after_mails: 400 });
    answer = refuseEvery(15);
    await startSender();
    await startSender();
    const id = await launch(3_000);
    await untilPaused(id);
    await untilSettled(id);
    const { sent, failed, queued } = await counts(id);
    assert.ok(sent + failed >= 400 && sent + failed < 800, `${sent + failed} were tried`);
    assert.equal(queued, 3_000 - sent - failed);
    assert.equal(pauses.length, 1);
    const workers = await bench.db.many(
      sql`select distinct worker_id from counters where source_id = ${id} and what = 'sent'`,
    );
    assert.equal(workers.length, 2, "both have sent");
    assertAgree(await countTwice(bench, accountId, id));
  });

  test("a pause that a dead sender owed is made up for before the next mail", async () => {
    await set({ hard_bounce_after_mails: 10_000 });
    let asked = 0;
    answer = (to) => (++asked > 300 ? undefined : refuseEvery(10)(to));
    await startSender();
    const id = await launch(900);
    await until(() => asked > 300);
    await until(async () => (await counts(id)).bounces.hard >= 20);
    await Promise.all(senders.map((sender) => sender.stop()));
    // By these limits it should have been paused before its sender died.
    await set({ hard_bounce_after_mails: null });
    assert.equal(pauses.length, 0);
    const before = server.lines.filter((line) => line.startsWith("RCPT")).length;
    await startSender();
    await untilPaused(id);
    assert.equal(server.lines.filter((line) => line.startsWith("RCPT")).length, before);
    assert.equal(pauses[0]?.reason, "hard_bounces");
  });

  test("a relay that refuses us keeps its own reason", async () => {
    let asked = 0;
    answer = () => (++asked <= 250 ? "250 ok" : "550 relay not permitted");
    await startSender();
    const id = await launch(600);
    await untilPaused(id);
    assert.deepEqual(
      pauses.map(({ reason }) => reason),
      ["transport_rejected"],
    );
    // A bounce that comes now can't pause it again, nor change the reason.
    await set({ hard_bounce_after_mails: 20, hard_bounce_pause_rate: 0.005 });
    for (const contactId of (await contactsOf(id, "sent")).slice(0, 10))
      await feedback(id, contactId, "hard_bounce");
    const { reason } = await bench.db.one<{ reason: string }>(
      sql`select reason from sources where account_id = ${accountId} and id = ${id}`,
    );
    assert.equal(reason, "transport_rejected");
    assert.deepEqual(
      warnings.map((one) => [one.reason, one.holdsNext]),
      [["hard_bounces", false]],
    );
  });

  /** Launches to 1,100 people, of whom 1,000 have got the mail and the others wait for a server that doesn't answer. */
  async function launchHalf(): Promise<{ id: string; sent: string[] }> {
    let asked = 0;
    answer = () => (++asked <= 1_000 ? "250 ok" : undefined);
    await startSender();
    const id = await launch(1_100);
    await until(async () => (await counts(id)).sent === 1_000);
    return { id, sent: await contactsOf(id, "sent") };
  }

  test("complaints warn at 0.1% and pause at 0.3%, from five on", async () => {
    const { id, sent } = await launchHalf();
    const [one = "", ...others] = sent;
    assert.equal(await feedback(id, one, "complaint"), true);
    assert.deepEqual(
      warnings.map(({ reason, detail, holdsNext }) => ({ reason, detail, holdsNext })),
      [
        {
          reason: "complaints",
          detail: "1 of 1,000 recipients complained (0.1%); the limit is 0.3%",
          holdsNext: false,
        },
      ],
    );
    assert.equal(await feedback(id, one, "complaint"), false, "the same person counts once");
    for (const contactId of others.slice(0, 3)) await feedback(id, contactId, "complaint");
    assert.deepEqual([(await counts(id)).complaints, pauses.length], [4, 0]);
    // Several at the same moment: none of them sees the others' before they are committed.
    await Promise.all(others.slice(3, 9).map((contactId) => feedback(id, contactId, "complaint")));
    assert.equal((await counts(id)).complaints, 10);
    assert.deepEqual(pauses, [
      { id, reason: "complaints", detail: "5 of 1,000 recipients complained (0.5%); the limit is 0.3%" },
    ]);
    assert.equal(warnings.length, 1);
    assert.deepEqual(await holds(), []);

    // After a resume, a complaint about a mail from before counts no more.
    answer = acceptAll;
    for (const peer of hung.splice(0)) peer.destroy();
    await untilSettled(id);
    await resume(id);
    for (const contactId of sent.slice(20, 40)) await feedback(id, contactId, "complaint");
    await untilDone(id);
    assert.deepEqual([(await counts(id)).complaints, (await counts(id)).sent], [30, 1_100]);
    assert.equal(pauses.length, 1);
    assert.deepEqual(await holds(), []);
  });

  test("who was sent nothing can't complain", async () => {
    const { id, sent } = await launchHalf();
    const [waiting = ""] = await contactsOf(id, "ready");
    assert.equal(await feedback(id, waiting, "complaint"), false);
    const foreign = await bench.addAccount();
    const [first = ""] = sent;
    assert.equal(await feedback(id, first, "complaint", foreign), false);
    assert.equal((await counts(id)).complaints, 0);
  });

  test("late bounces and complaints hold the account's next campaign, each guardrail once", async () => {
    await startSender();
    const id = await launch(1_000);
    await untilDone(id);
    const sent = await contactsOf(id, "sent");
    await Promise.all(sent.slice(0, 60).map((contactId) => feedback(id, contactId, "hard_bounce")));
    assert.deepEqual(
      (await holds()).map(({ detail }) => detail.replace(/ \(cmp.*/, "")),
      ["50 of 1,000 mails bounced hard (5%); the limit is 5%"],
    );
    for (const contactId of sent.slice(0, 6)) await feedback(id, contactId, "complaint");
    assert.deepEqual((await holds()).map(({ reason }) => reason).sort(), ["complaints", "hard_bounces"]);
    assert.deepEqual(await holds(bench.accountId), [], "no other account is held");
    const { bounces, complaints, returned, failed } = await counts(id);
    assert.deepEqual([bounces.hard, complaints, returned, failed], [60, 6, 60, 0]);
    assert.deepEqual(pauses, []);
  });

  test("a campaign that was paused for its bounces and canceled holds nothing for the same bounces", async () => {
    answer = refuseEvery(10);
    await startSender();
    const id = await launch(400);
    await untilPaused(id);
    await bench.ctx((ctx) => cancelSource(ctx, id), accountId);
    await untilSettled(id);
    const [late = ""] = await contactsOf(id, "sent");
    assert.equal(await feedback(id, late, "hard_bounce"), true);
    assert.deepEqual(await holds(), []);
  });

  test("a pause by hand counts anew, too", async () => {
    let asked = 0;
    answer = (to) => (++asked > 150 ? undefined : refuseEvery(10)(to));
    await startSender();
    const id = await launch(300);
    await until(() => asked > 150);
    await until(async () => (await counts(id)).bounces.hard >= 10);
    await bench.ctx((ctx) => pauseSource(ctx, id), accountId);
    answer = acceptAll;
    for (const peer of hung.splice(0)) peer.destroy();
    await untilSettled(id);
    await resume(id);
    await untilDone(id);
    assert.deepEqual(pauses, []);
    assert.deepEqual(await holds(), []);
  });
});
