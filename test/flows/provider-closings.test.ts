/** Mailbox providers that ask for less or refuse us: they are closed for all senders, nobody is lost, and others go on. */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  heedReports,
  INSTANCE_TRANSPORT,
  listRecipients,
  readProgress,
} from "../../src/delivery/delivery.ts";
import { readProviderReply } from "../../src/delivery/providers/reply-rules.ts";
import { type Clock, systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import {
  assertAgree,
  type Bench,
  type Compose,
  composeSimply,
  countTwice,
  createBench,
} from "../support/delivery.ts";
import {
  GMAIL_RATE,
  OUTLOOK_BLOCK,
  type PlayedProviders,
  playProviders,
  YAHOO_RATE,
} from "../support/smtp/provider-replies.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { until } from "../support/until.ts";

const MINUTE_MS = 60_000;

/** The clock of this machine, moved ahead. A sender that runs keeps to what it knew, so senders are started anew after a move. */
function createMovedClock(): Clock & { move(ms: number): void } {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    monotonicMs: () => systemClock.monotonicMs(),
    move(ms) {
      offsetMs += ms;
    },
  };
}

describe("mailbox providers that ask for less", () => {
  const clock = createMovedClock();
  let bench: Bench;
  let server: ScriptedServer;
  let played: PlayedProviders;
  let answer: (to: string) => string;
  let senders: { stop(): Promise<void> }[] = [];
  let people = 0;
  before(async () => {
    bench = await createBench({ hasRelay: true, clock });
    await bench.startJobs();
    server = await startScriptedServer({
      RCPT: (peer) => {
        const reply = answer(/<(.*)>/.exec(server.lines.at(-1) ?? "")?.[1] ?? "");
        peer.write(`${reply}\r\n`);
        if (reply.startsWith("421")) peer.end();
      },
      DATA: (peer) => {
        peer.write("354 go on\r\n");
        return "body";
      },
    });
  });
  afterEach(async () => {
    await stopSenders();
    await bench.db.execute(sql`delete from provider_closings`);
    await bench.db.execute(sql`delete from runnable`);
  });
  after(async () => {
    await server.close();
    await bench.stop();
  });

  function play(options: Parameters<typeof playProviders>[0]): void {
    played = playProviders(options);
    answer = (to) => played.answer(to, clock.now().getTime());
  }
  async function startSenders(count = 1, compose: Compose = composeSimply): Promise<void> {
    const relay = {
      host: "127.0.0.1",
      port: server.port,
      maxConnections: 4,
      backOff: { firstMs: 10, maxMs: 50 },
    };
    for (let n = 0; n < count; n++)
      senders.push(await bench.startSender(compose, { relay, firstRetryMs: 100 }));
  }
  async function stopSenders(): Promise<void> {
    await Promise.all(senders.map((sender) => sender.stop()));
    senders = [];
  }
  /** Launches a campaign to so many people at each of these domains. */
  async function launch(counts: Readonly<Record<string, number>>, accountId?: string): Promise<string> {
    const listId = await bench.addList(accountId);
    const rounds = Math.max(...Object.values(counts));
    const emails = Array.from({ length: rounds }, (_, n) =>
      Object.entries(counts).flatMap(([domain, count]) => (n < count ? [`p${++people}@${domain}`] : [])),
    ).flat();
    await bench.addSubscribers(emails, listId, accountId);
    return bench.launch({ audience: { listId, segmentId: null } }, accountId);
  }
  const at = (domain: string) => played.asked.filter(({ to }) => to.endsWith(`@${domain}`));
  const taken = (domain: string) => at(domain).filter(({ reply }) => reply.startsWith("250")).length;
  const progressOf = async (id: string) =>
    (await readProgress(bench.db, bench.accountId, [id], clock.now())).get(id);
  const closings = () =>
    bench.db.many<{
      account_id: string;
      provider: string;
      from_domain: string;
      reason: string;
      minutes: number;
    }>(sql`
      select account_id, provider, from_domain, reason,
        round(extract(epoch from until - closed_at) / 60)::int as minutes from provider_closings order by provider`);
  const alerts = (accountId = bench.accountId) =>
    bench.db.many<{ subject: string; status: string; severity: string }>(sql`
      select subject, status, severity from alerts where account_id = ${accountId} and kind = 'provider_closed' order by subject`);
  const statesOf = (id: string, domain: string) =>
    bench.db.many<{ state: string; attempt: number; count: number }>(sql`
      select d.state, d.attempt, count(*) as count from deliveries d
      join subscribers s on s.account_id = d.account_id and s.id = d.subscriber_id
      where d.source_id = ${id} and s.email like ${`%@${domain}`} group by 1, 2 order by 1, 2`);
  const queued = async (id: string) => (await bench.counts(id)).queued;
  const NIL = "00000000-0000-0000-0000-000000000000";

  test("4.7.28 closes Gmail for four senders: nothing for ten minutes, then little, and everybody gets it once", async () => {
    play({ gmailPerMinute: 30 });
    await startSenders(4);
    const id = await launch({ "gmail.com": 400, "elsewhere.example": 400 });
    await until(() => taken("elsewhere.example") === 400);
    await until(async () => (await bench.counts(id)).deferred === 370);
    assert.deepEqual(await closings(), [
      { account_id: NIL, provider: "google", from_domain: "", reason: "rate", minutes: 10 },
    ]);
    // What was on the wire was answered; all others were put off without an attempt.
    assert.ok(at("gmail.com").length - 30 <= 16, `${at("gmail.com").length} attempts`);
    const { closed, opens } = await bench.db.one<{ closed: Date; opens: Date }>(
      sql`select closed_at as closed, until as opens from provider_closings`,
    );
    const moveTo = (ms: number) => clock.move(ms - clock.now().getTime());
    await sleep(1_500);
    await stopSenders();
    // The last of 370 has place 369, which is log₂(1 + 369 / 20) minutes after the opening.
    const found = await progressOf(id);
    assert.deepEqual(found?.held, { by: "provider", until: opens, providers: ["google"] });
    const { eta } = found;
    const minutesAfter = ((eta?.getTime() ?? 0) - opens.getTime()) / MINUTE_MS;
    assert.ok(minutesAfter > 4.2 && minutesAfter < 4.5, `through ${minutesAfter} minutes after the opening`);
    moveTo(opens.getTime() - 2 * MINUTE_MS);
    await startSenders(4);
    await sleep(1_500);
    await stopSenders();
    const isMeanwhile = ({ atMs }: { atMs: number }) =>
      atMs > closed.getTime() + 1_000 && atMs < opens.getTime();
    assert.deepEqual(at("gmail.com").filter(isMeanwhile), [], "no attempt within ten minutes");
    // From the opening on, 20 go in the first minute and twice as many in each that follows, beside those that were on the wire.
    if (clock.now() < opens) moveTo(opens.getTime() + MINUTE_MS);
    play({ gmailPerMinute: 100_000 });
    await startSenders(4);
    await until(() => at("gmail.com").length >= 20);
    await sleep(1_000);
    for (const [n, { atMs }] of at("gmail.com").entries()) {
      const minutes = (atMs - opens.getTime()) / MINUTE_MS;
      assert.ok(n <= 17 + 20 * (2 ** minutes - 1), `${n} after ${minutes} minutes`);
    }
    await stopSenders();
    clock.move(30 * MINUTE_MS);
    await startSenders(4);
    await until(() => bench.ended.get(id)?.kind === "done");
    const { sent, failed } = await bench.counts(id);
    assert.deepEqual({ sent, failed }, { sent: 800, failed: 0 });
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("a million rows would be written once each: what is put off is put off once, without an attempt", async () => {
    play({ gmailPerMinute: 0 });
    await startSenders(2);
    const id = await launch({ "gmail.com": 600 });
    await until(async () => (await bench.counts(id)).deferred === 600);
    const tried = (await statesOf(id, "gmail.com")).filter(({ attempt }) => attempt > 0);
    assert.ok(tried.every(({ count }) => count <= 16));
    const changed = () =>
      bench.db.one<{ at: Date; n: number }>(sql`
        select max(changed_at) as at, count(*) as n from deliveries where source_id = ${id}`);
    const { at: last } = await changed();
    await sleep(2_500);
    assert.deepEqual((await changed()).at, last, "nothing is written while it is closed");
    const { soon } = await bench.db.one<{ soon: number }>(sql`
      select count(*) as soon from retries where source_id = ${id} and due_at < ${new Date(clock.now().getTime() + 9 * MINUTE_MS)}`);
    assert.equal(soon, 0);
  });

  test("TSS04 closes Yahoo for two hours, and S3150 Outlook.com with an alert; nobody is failed", async () => {
    play({ gmailPerMinute: 1_000, yahooInAll: 5, isOutlookBlocked: true });
    await startSenders(2);
    const id = await launch({ "yahoo.com": 60, "outlook.com": 60, "gmail.com": 60 });
    await until(async () => taken("gmail.com") === 60 && (await bench.counts(id)).deferred === 115);
    assert.deepEqual(
      (await closings()).map(({ provider, reason, minutes }) => [provider, reason, minutes]),
      [
        ["microsoft", "blocked", 120],
        ["yahoo", "rate", 120],
      ],
    );
    assert.equal((await bench.counts(id)).failed, 0);
    const { opens } = await bench.db.one<{ opens: Date }>(
      sql`select max(until) as opens from provider_closings`,
    );
    const waiting = await progressOf(id);
    assert.deepEqual(
      [waiting?.phase, waiting?.remaining, waiting?.held],
      ["held", 115, { by: "provider", until: opens, providers: ["microsoft", "yahoo"] }],
    );
    assert.ok(waiting?.eta && waiting.eta > opens, "it is known when it goes on");
    assert.deepEqual(await alerts(), [
      { subject: "microsoft instance", status: "open", severity: "critical" },
    ]);
    assert.equal(bench.ended.has(id), false);
    const { remedy } = await bench.db.one<{ remedy: string }>(
      sql`select remedy from alerts where account_id = ${bench.accountId} and subject = 'microsoft instance'`,
    );
    assert.match(remedy, /opens by itself/, "nobody can open it for everybody's server");
    // Once it takes mail again, the alert is over by itself.
    await stopSenders();
    clock.move(150 * MINUTE_MS);
    play({ gmailPerMinute: 1_000 });
    await startSenders();
    await until(() => bench.ended.get(id)?.kind === "done");
    await until(async () => (await alerts()).every(({ status }) => status === "closed"));
    assert.equal((await bench.counts(id)).sent, 180);
  });

  test("a failing proof closes one domain of one account, and not those of others on the same server", async () => {
    const from =
      (domain: string): Compose =>
      async (source) => {
        const many = await composeSimply(source);
        return async (recipients) =>
          (await many(recipients)).map((one) =>
            one.ok
              ? {
                  ...one,
                  fromDomain: domain,
                  message: Buffer.from(one.message.toString().replace("news@example.org", `news@${domain}`)),
                }
              : one,
          );
      };
    const bad = { "gmail.com": 40, "fine.example": 10 };
    play({ gmailPerMinute: 10_000 });
    const accept = answer;
    const bodies = () =>
      server.messages.filter((message) => message.includes("From: news@good.example")).length;
    answer = (to) => (to.endsWith("@gmail.com") ? "550 5.7.26 unauthenticated" : "250 ok");
    await startSenders(1, from("bad.example"));
    const first = await launch(bad);
    await until(async () => (await bench.counts(first)).deferred === 40);
    const [closed] = await closings();
    assert.deepEqual(
      { ...closed },
      {
        account_id: bench.accountId,
        provider: "google",
        from_domain: "bad.example",
        reason: "authentication",
        minutes: 60,
      },
    );
    assert.equal((await bench.counts(first)).failed, 0);
    const page = { status: "deferred", limit: 50, after: undefined } as const;
    const refused = (await listRecipients(bench.db, bench.accountId, first, page)).filter(({ text }) => text);
    assert.ok(refused.length > 0);
    for (const { code, text } of refused) assert.deepEqual([code, text?.slice(0, 10)], [550, "550 5.7.26"]);
    assert.deepEqual(
      (await alerts()).filter(({ status }) => status === "open"),
      [{ subject: "google instance bad.example", status: "open", severity: "critical" }],
    );
    await stopSenders();
    answer = accept;
    await startSenders(1, from("good.example"));
    const other = await bench.addAccount();
    const theirs = await launch({ "gmail.com": 40 }, other);
    await until(async () => (await bench.counts(theirs, other)).sent === 40);
    assert.equal(bodies(), 40);
  });

  test("twenty refusals of Gmail close Gmail and not the campaign; those that were refused go back", async () => {
    play({ gmailPerMinute: 10_000 });
    const accept = answer;
    answer = (to) => {
      const said = accept(to);
      return to.endsWith("@gmail.com") ? "554 5.7.1 something nobody understands" : said;
    };
    await startSenders();
    const id = await launch({ "gmail.com": 150, "elsewhere.example": 150, "yahoo.com": 50 });
    await until(() => taken("elsewhere.example") === 150);
    await until(async () => (await bench.counts(id)).deferred === 150);
    const { failed, sent } = await bench.counts(id);
    assert.deepEqual({ failed, sent }, { failed: 0, sent: 200 });
    assert.equal(bench.ended.has(id), false, "the campaign goes on");
    assert.deepEqual(
      (await closings()).map(({ provider, reason, from_domain }) => [provider, reason, from_domain]),
      [["google", "refusals", "example.org"]],
    );
    await stopSenders();
    answer = accept;
    clock.move(120 * MINUTE_MS);
    await startSenders();
    await until(() => bench.ended.get(id)?.kind === "done");
    assert.equal((await bench.counts(id)).sent, 350);
    assertAgree(await countTwice(bench, bench.accountId, id));
  });

  test("what one customer of a filter refuses closes nothing, and what three refuse closes it", async () => {
    const mxOf = (name: string) =>
      sql`(${name}, 'mx', '{eu-smtp-inbound-1.mimecast.com}', now(), now() + interval '1 day')`;
    for (const name of ["one.example", "two.example", "three.example"])
      await bench.db.execute(sql`
        insert into recipient_domains (name, state, servers, looked_up_at, fresh_until) values ${mxOf(name)}`);
    answer = (to) => (to.endsWith("@elsewhere.example") ? "250 ok" : "451 4.7.26 unauthenticated");
    await startSenders();
    const first = await launch({ "one.example": 10, "elsewhere.example": 10 });
    await until(
      async () => (await bench.counts(first)).sent === 10 && (await bench.counts(first)).deferred === 10,
    );
    assert.deepEqual(await closings(), []);
    await launch({ "two.example": 2, "three.example": 2 });
    await until(async () => (await closings()).length === 1);
    assert.deepEqual(
      (await closings()).map(({ provider, reason, from_domain }) => [provider, reason, from_domain]),
      [["mimecast", "authentication", "example.org"]],
    );
  });

  test("reports close for the transport and the domain of the mail, also after its source has left that transport", async () => {
    play({ gmailPerMinute: 1_000 });
    await startSenders();
    const id = await launch({ "gmail.com": 8 });
    await until(() => bench.ended.has(id));
    await bench.db.execute(sql`update sources set transport_id = gen_random_uuid() where id = ${id}`);
    const mails = await bench.db.many<{ contactId: string }>(
      sql`select contact_id as "contactId" from deliveries where source_id = ${id} order by contact_id`,
    );
    const told = (status: string, diagnostic: string) =>
      mails.slice(0, 3).map(({ contactId }) => {
        return { sourceId: id, contactId, domain: "gmail.com", status, diagnostic };
      });
    await bench.ctx((ctx) =>
      heedReports(ctx, told("5.7.26", "smtp; 550 5.7.26 unauthenticated").slice(0, 2)),
    );
    assert.deepEqual(await closings(), [], "two are too few");
    await bench.ctx((ctx) => heedReports(ctx, told("5.7.26", "smtp; 550 5.7.26 unauthenticated")));
    await bench.ctx((ctx) => heedReports(ctx, told("4.7.28", `smtp; ${GMAIL_RATE}`)));
    const closed = await bench.db.many(sql`
      select transport_id, from_domain, reason from provider_closings where account_id = ${bench.accountId} order by from_domain`);
    assert.deepEqual(
      closed.map((one) => ({ ...one })),
      [
        { transport_id: INSTANCE_TRANSPORT, from_domain: "", reason: "rate" },
        { transport_id: INSTANCE_TRANSPORT, from_domain: "example.org", reason: "authentication" },
      ],
    );
  });

  test("where everything is refused, the campaign pauses as ever", async () => {
    play({ gmailPerMinute: 10_000 });
    answer = () => "554 5.7.1 something nobody understands";
    await startSenders();
    const id = await launch({ "gmail.com": 60, "elsewhere.example": 60 });
    await until(() => bench.ended.get(id)?.kind === "paused");
    assert.deepEqual(await closings(), []);
    await until(async () => (await queued(id)) === 120);
  });

  test("the replies that are played are those that the rules know", () => {
    const read = (provider: string, reply: string) => {
      const [, code, enhanced = null, text = ""] = /^(\d{3}) (\d\.\d\.\d+) (.*)$/.exec(reply) ?? [];
      const meaning = readProviderReply({ provider, code: Number(code), enhanced, text, phase: "rcpt" });
      return meaning && [meaning.reason, meaning.closeMs / MINUTE_MS];
    };
    assert.deepEqual(read("google", GMAIL_RATE), ["rate", 10]);
    assert.deepEqual(read("yahoo", YAHOO_RATE), ["rate", 120]);
    assert.deepEqual(read("microsoft", OUTLOOK_BLOCK), ["blocked", 120]);
  });
});
