import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { messageIdOf, readCounts } from "../../delivery/delivery.ts";
import { keepEvents, releaseEvents } from "../../events/events.ts";
import { sql } from "../../platform/db/db.ts";
import { toPublicId } from "../../platform/ids.ts";
import { comeBack, createActingBench, type Mail, returnPaths } from "./acting.fixture.ts";
import { forgetReports, listReports } from "./acting.ts";

const DAY_MS = 86_400_000;

describe("acting on what comes back", () => {
  let made: Awaited<ReturnType<typeof createActingBench>>;
  let people = 0;
  before(async () => {
    made = await createActingBench();
  });
  after(() => made.bench.stop());

  const addresses = (count: number) => Array.from({ length: count }, () => `p${++people}@d${people}.example`);
  const mailOne = async (
    ...more: Parameters<typeof made.addMails> extends [unknown, infer M] ? [M?] : []
  ) => {
    const [mail] = await made.addMails(addresses(1), ...more);
    return mail as Mail;
  };
  const statusOf = async ({ subscriberId }: Mail) =>
    (
      await made.bench.db.one<{ status: string }>(
        sql`select status from subscribers where id = ${subscriberId}`,
      )
    ).status;
  const reasonOf = async ({ contactId }: Mail) =>
    (
      await made.bench.db.maybeOne<{ reason: string }>(
        sql`select reason from suppressions where contact_id = ${contactId}`,
      )
    )?.reason;
  const counts = ({ accountId, sourceId }: Mail) => readCounts(made.bench.db, accountId, sourceId);
  const events = async ({ accountId }: Mail, type: string) =>
    made.bench.db.many<{ data: Record<string, string> }>(
      sql`select data from events where account_id = ${accountId} and type = ${type}`,
    );
  const outcomes = async (...read: Parameters<typeof made.act>[0]) =>
    (await made.act(read)).map(({ outcome }) => outcome);

  test("a hard bounce suppresses, lowers what was delivered, and is told once", async () => {
    const mail = await mailOne();
    const bounce = comeBack(mail, "hard");
    assert.deepEqual(await outcomes(bounce, comeBack(mail, "hard")), ["suppressed", "duplicate"]);
    assert.deepEqual(await outcomes(comeBack(mail, "hard")), ["duplicate"]);
    assert.equal(await statusOf(mail), "bounced");
    assert.equal(await reasonOf(mail), "hard_bounce");
    const { sent, returned, bounces } = await counts(mail);
    assert.deepEqual({ sent, returned, hard: bounces.hard }, { sent: 1, returned: 1, hard: 1 });
    const told = (await events(mail, "email.bounced")).filter(({ data }) => data["cause"] === "user_unknown");
    assert.equal(told.length, 1);
    const [report] = await listReports(made.bench.db, made.tools.secrets, mail.accountId, [bounce.item.id]);
    assert.equal(report?.recipient, mail.email);
    assert.equal(report?.matchedBy, "return_path");
  });

  test("reading an item again changes nothing, and keeps what was made of it", async () => {
    const mail = await mailOne();
    const bounce = comeBack(mail, "hard");
    const [first] = await made.act([bounce]);
    const [again] = await made.act([bounce]);
    assert.deepEqual(again, first);
    assert.equal(again?.outcome, "suppressed");
    assert.equal((await counts(mail)).returned, 1);
  });

  test("a soft bounce, a block and a delay suppress nobody", async () => {
    const [soft, block, delay] = (await made.addMails(addresses(3))) as [Mail, Mail, Mail];
    assert.deepEqual(
      await outcomes(comeBack(soft, "soft"), comeBack(block, "block"), comeBack(delay, "delay")),
      ["counted", "counted", "ignored"],
    );
    for (const mail of [soft, block, delay]) assert.equal(await reasonOf(mail), undefined);
    const { returned, bounces } = await counts(soft);
    assert.deepEqual(
      { returned, bounces },
      { returned: 2, bounces: { hard: 0, soft: 1, block: 1, total: 2 } },
    );
  });

  test("five soft bounces over two weeks suppress, and a mail that arrived takes that back", async () => {
    const first = await mailOne();
    const mails = [first];
    for (let n = 1; n < 5; n++) mails.push(...(await made.addMails([], { people: [first] })));
    const now = Date.now();
    const soft = mails.map((mail, n) => comeBack(mail, "soft", { at: new Date(now - (4 - n) * 4 * DAY_MS) }));
    assert.deepEqual(await outcomes(...soft.slice(1)), ["counted", "counted", "counted", "counted"]);
    assert.equal(await reasonOf(first), undefined);
    assert.deepEqual(await outcomes(soft[0] as (typeof soft)[0]), ["suppressed"]);
    assert.equal(await reasonOf(first), "soft_bounces");
    assert.equal(await statusOf(first), "bounced");
    assert.deepEqual(await outcomes(comeBack(first, "delivered", { at: new Date(now - DAY_MS) })), ["noted"]);
    assert.equal(await reasonOf(first), undefined);
    assert.equal(await statusOf(first), "active");
  });

  test("that a mail arrived is told once, where somebody wants to know", async () => {
    const [first, second, third] = (await made.addMails(addresses(3))) as [Mail, Mail, Mail];
    const told = async () => {
      const all = await events(first, "email.delivered");
      return all.map(({ data }) => data["subscriber_id"]);
    };
    await outcomes(comeBack(first, "delivered"));
    assert.deepEqual(await told(), []);
    await keepEvents(made.bench.db, first.accountId, "a test", ["email.delivered"]);
    const at = new Date(Date.now() - DAY_MS);
    const arrived = comeBack(second, "delivered", { report: { status: "2.0.0", reason: "delivered", at } });
    await outcomes(arrived, comeBack(second, "delivered"));
    await outcomes(arrived);
    await outcomes(comeBack(second, "delivered"), comeBack(third, "delivered"));
    const publicIds = [second, third].map(({ subscriberId }) => toPublicId("sub", subscriberId));
    assert.deepEqual((await told()).toSorted(), publicIds.toSorted());
    const [{ data } = { data: {} }] = (await events(second, "email.delivered")).filter(
      (event) => event.data["subscriber_id"] === publicIds[0],
    );
    assert.equal(data["at"], at.toISOString());
    assert.deepEqual([data["status"], "cause" in data], ["2.0.0", false]);
    // A bounce that comes later is told as well: a server may take a mail and give it back.
    assert.deepEqual(await outcomes(comeBack(third, "hard")), ["suppressed"]);
    await releaseEvents(made.bench.db, first.accountId, "a test");
  });

  test("that a mail arrived is not believed of a Message-ID alone", async () => {
    const mail = await mailOne();
    await keepEvents(made.bench.db, mail.accountId, "a test", ["email.delivered"]);
    const messageId = `<${messageIdOf(mail.sourceId, mail.contactId)}@example.org>`;
    const clues = { named: null, token: null, providerId: null, messageId };
    const [forged] = await made.act([
      comeBack(mail, "delivered", { item: { addressed: null, channel: "mailbox" }, report: { clues } }),
    ]);
    assert.equal(forged?.outcome, "ignored");
    assert.match(forged?.why ?? "", /anybody can write that/);
    const told = await events(mail, "email.delivered");
    assert.ok(told.every(({ data }) => data["subscriber_id"] !== toPublicId("sub", mail.subscriberId)));
    await releaseEvents(made.bench.db, mail.accountId, "a test");
  });

  test("blocks never suppress, however many", async () => {
    const first = await mailOne();
    const mails = [first];
    for (let n = 1; n < 8; n++) mails.push(...(await made.addMails([], { people: [first] })));
    const read = mails.map((mail, n) =>
      comeBack(mail, "block", { at: new Date(Date.now() - n * 5 * DAY_MS) }),
    );
    assert.ok((await outcomes(...read)).every((outcome) => outcome === "counted"));
    assert.equal(await reasonOf(first), undefined);
  });

  test("a complaint stops campaigns, and one without an address is matched by the return path", async () => {
    const mail = await mailOne();
    assert.deepEqual(await outcomes(comeBack(mail, "complaint", { report: { recipient: null } })), [
      "suppressed",
    ]);
    const { streams } = await made.bench.db.one<{ streams: string[] }>(
      sql`select streams from suppressions where contact_id = ${mail.contactId}`,
    );
    assert.deepEqual(streams, ["campaign", "automation"]);
    assert.equal(await statusOf(mail), "complained");
    assert.equal((await counts(mail)).complaints, 1);
    assert.ok((await events(mail, "email.complained")).length >= 1);
    const nobody = comeBack(mail, "complaint", {
      item: { addressed: null },
      report: { recipient: null, clues: { named: null, token: null, providerId: null, messageId: null } },
    });
    const [unmatched] = await made.act([nobody]);
    assert.equal(unmatched?.outcome, "unmatched");
    assert.match(unmatched?.why ?? "", /nothing in it names a mail/);
  });

  test("a complaint after a bounce, and a bounce after a complaint, come to the same", async () => {
    const [one, other] = (await made.addMails(addresses(2))) as [Mail, Mail];
    await outcomes(comeBack(one, "hard"));
    await outcomes(comeBack(one, "complaint"));
    await outcomes(comeBack(other, "complaint"));
    await outcomes(comeBack(other, "hard"));
    for (const mail of [one, other]) {
      assert.equal(await reasonOf(mail), "complaint");
      assert.equal(await statusOf(mail), "complained");
    }
  });

  test("an unsubscribe by mail does what one click does, and an automatic reply nothing", async () => {
    const [leaver, away] = (await made.addMails(addresses(2))) as [Mail, Mail];
    assert.deepEqual(await outcomes(comeBack(leaver, "unsubscribe"), comeBack(away, "auto_reply")), [
      "unsubscribed",
      "ignored",
    ]);
    assert.equal(await statusOf(leaver), "unsubscribed");
    assert.equal(await statusOf(away), "active");
    assert.equal((await counts(leaver)).unsubscribes, 1);
    assert.deepEqual(await outcomes(comeBack(leaver, "unsubscribe")), ["duplicate"]);
  });

  test("an address that mail is passed on to may be gone, and the one that we know isn't suppressed for it", async () => {
    const [passedOn, internal, renamed] = [await mailOne(), await mailOne(), await mailOne()];
    const domainOf = ({ email }: Mail) => email.slice(email.indexOf("@") + 1);
    const failed = (mail: Mail, recipient: string) => comeBack(mail, "hard", { report: { recipient } });
    const [first] = await made.act([failed(passedOn, "gone@elsewhere.example")]);
    assert.equal(first?.outcome, "counted");
    assert.match(first?.why ?? "", /passed on/);
    assert.equal(await reasonOf(passedOn), undefined);
    assert.deepEqual(await outcomes(failed(internal, `u1@mx1.${domainOf(internal)}`)), ["suppressed"]);
    assert.deepEqual(await outcomes(failed(renamed, `another-name@${domainOf(renamed)}`)), ["suppressed"]);
  });

  describe("forged clues", () => {
    const unnamed = (mail: Mail, clues: object, channel: "smtp" | "mailbox" | "webhook" = "smtp") =>
      comeBack(mail, "hard", {
        item: { addressed: null, channel },
        report: { clues: { named: null, token: null, providerId: null, messageId: null, ...clues } },
      });
    const messageId = (mail: Mail) => `<${messageIdOf(mail.sourceId, mail.contactId)}@example.org>`;

    test("a token with our MAC counts by any way, in any case", async () => {
      const mail = await mailOne();
      const token = returnPaths.bounceFor(mail.accountId, mail.sourceId, mail.contactId).toUpperCase();
      assert.deepEqual(await outcomes(unnamed(mail, { token })), ["suppressed"]);
    });

    test("a token with another MAC, or of another account, changes nothing", async () => {
      const mail = await mailOne();
      const token = returnPaths.bounceFor(mail.accountId, mail.sourceId, mail.contactId);
      const forged = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
      const neighbour = await made.bench.addAccount();
      const foreign = returnPaths.bounceFor(neighbour, mail.sourceId, mail.contactId);
      for (const one of [forged, foreign]) {
        const [first] = await made.act([unnamed(mail, { token: one })]);
        assert.equal(first?.outcome, "unmatched");
        assert.match(first?.why ?? "", /was not made by this account/);
      }
      assert.equal(await reasonOf(mail), undefined);
    });

    test("another account's mail is nobody's here", async () => {
      const neighbour = await made.bench.addAccount();
      const [theirs] = (await made.addMails(addresses(1), { accountId: neighbour })) as [Mail];
      const [first] = await made.act([comeBack(theirs, "hard")]);
      assert.equal(first?.outcome, "unmatched");
      assert.match(first?.why ?? "", /not in the ledger/);
      assert.equal(await reasonOf(theirs), undefined);
    });

    test("a Message-ID alone suppresses by a signed webhook, counts softly in a mailbox, and is nothing by SMTP", async () => {
      const [byMail, byMailbox, byWebhook] = (await made.addMails(addresses(3))) as [Mail, Mail, Mail];
      const [stranger] = await made.act([unnamed(byMail, { messageId: messageId(byMail) })]);
      assert.equal(stranger?.outcome, "unmatched");
      assert.match(stranger?.why ?? "", /anybody can write that/);
      assert.deepEqual(
        await outcomes(
          unnamed(byMailbox, { messageId: messageId(byMailbox) }, "mailbox"),
          unnamed(byWebhook, { messageId: messageId(byWebhook) }, "webhook"),
        ),
        ["counted", "suppressed"],
      );
      assert.equal(await reasonOf(byMailbox), undefined);
    });

    test("a neighbour's Message-ID with another address changes nothing", async () => {
      const [mine, theirs] = (await made.addMails(addresses(2))) as [Mail, Mail];
      const [forged] = await made.act([unnamed(mine, { messageId: messageId(theirs) }, "mailbox")]);
      assert.equal(forged?.outcome, "unmatched");
      assert.match(forged?.why ?? "", /did not go to/);
      assert.equal(await reasonOf(theirs), undefined);
    });

    test("what was never sent can't bounce", async () => {
      const mail = await mailOne();
      await made.bench.db.execute(
        sql`update deliveries set state = 'ready', attempt = 0 where contact_id = ${mail.contactId}`,
      );
      const [first] = await made.act([comeBack(mail, "hard")]);
      assert.equal(first?.outcome, "unmatched");
      assert.equal(await reasonOf(mail), undefined);
    });
  });

  test("a bounce before the sender's own outcome is counted once the mail was sent", async () => {
    const [mail] = (await made.addMails(addresses(1), { state: "inflight" })) as [Mail];
    const worker = await made.bench.startWorker();
    await made.bench.db.execute(sql`
      update deliveries set worker_id = ${worker.id}, epoch = ${worker.epoch} where contact_id = ${mail.contactId}`);
    assert.deepEqual(await outcomes(comeBack(mail, "hard")), ["suppressed"]);
    assert.equal((await counts(mail)).returned, 0);
    await made.bench.db.execute(
      sql`update deliveries set state = 'sent' where contact_id = ${mail.contactId}`,
    );
    assert.equal((await counts(mail)).returned, 1);
    await worker.stop();
  });

  test("who answers a mail by a machine, or leaves by it, has got it, whatever its sender knew", async () => {
    const mails = await made.addMails(addresses(2), { state: "unknown" });
    const [away, left] = mails as [Mail, Mail];
    await made.act([comeBack(away, "auto_reply"), comeBack(left, "unsubscribe")]);
    const { sent, unknown } = await counts(away);
    assert.deepEqual({ sent, unknown }, { sent: 2, unknown: 0 });
  });

  test("an unsubscribe that is read again says what it said", async () => {
    const item = comeBack(await mailOne(), "unsubscribe");
    assert.deepEqual(await outcomes(item), ["unsubscribed"]);
    assert.deepEqual(await outcomes(item), ["unsubscribed"]);
  });

  test("who is forgotten is named by no report any more", async () => {
    const mail = await mailOne();
    const bounce = comeBack(mail, "soft");
    await made.act([bounce]);
    const ids = await made.bench.ctx((ctx) => forgetReports(ctx.sql, mail.accountId, [mail.contactId]));
    assert.deepEqual(ids, [bounce.item.id]);
    const [report] = await listReports(made.bench.db, made.tools.secrets, mail.accountId, ids);
    assert.deepEqual([report?.recipient, report?.diagnostic], [null, ""]);
  });
});
