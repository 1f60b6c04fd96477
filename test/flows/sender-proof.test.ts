/** Mail where every sender must be proved: what is refused, what waits for its key, and what the product itself mails for an account. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, portOf, TEST_SECRET_KEY, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, makeCampaign, readCampaign, severityOf } from "../support/campaigns.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { addDomain, addDomainKey, readSignatures } from "../support/domains.ts";
import { MAIL, sendEmail } from "../support/emails.ts";
import { beginData, logIn } from "../support/smtp/raw-client.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const secrets = createSecrets([TEST_SECRET_KEY]);
const lostSecrets = createSecrets(["a secret key that was lost, of 32 characters or more"]);

describe("where every sender must be proved", () => {
  let app: TestApp;
  let relay: Relay;
  let dns: DnsServer;
  let accountId: string;
  let listId: string;

  before(async () => {
    [dns, relay] = await Promise.all([
      startDnsServer(),
      startRelay({ disabledCommands: ["STARTTLS", "AUTH"] }),
    ]);
    app = await createApp({
      settings: {
        SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
        PUBLIC_URL: "https://mail.instance.example",
        UNVERIFIED_SENDERS: "refuse",
        SUBMISSION_PORT: "0",
        DNS_SERVERS: dns.address,
      },
      served: { ...WITH_UNSUBSCRIBE, opens: true, clicks: true },
    });
    accountId = uuidOf("acc", app.accountId);
    listId = await makeList(app);
    await app.api("PATCH", `/v1/lists/${listId}`, { body: { postal_address: "1 High Street, London" } });
    await addSubscriber(app, listId, "ada@example.com");
  });
  after(async () => {
    await app.stop();
    await Promise.all([relay.close(), dns.close()]);
  });

  async function prove(name: string, more: Partial<Parameters<typeof addDomain>[2]> = {}): Promise<string> {
    const id = await addDomain(app.db, accountId, { name, ...more });
    const record = await addDomainKey(app.db, secrets, accountId, id, { selector: "one" });
    dns.set(`one._domainkey.${name}`, "TXT", [record]);
    return id;
  }
  const campaign = (from_email: string, subject: string) =>
    makeCampaign(app, listId, { from_email, subject });
  const mailsTo = (to: string) => relay.received.filter((one) => one.to.includes(to));
  const mailTo = async (to: string, subject: string) => {
    const find = () => mailsTo(to).find(({ body }) => body.includes(`Subject: ${subject}`));
    await until(() => find() !== undefined);
    return find();
  };

  test("mail from another domain is refused by every way in, until the domain is proved", async () => {
    const { id } = await campaign("news@foreign.example", "Foreign");
    assert.equal(await severityOf(app, id, "unverified_domain"), "error");
    for (const [action, body] of [["send"], ["test", { to: ["me@example.com"] }]] as const) {
      const refused = await act(app, id, action, body);
      assert.equal(refused.status, 422, refused.text);
      assert.deepEqual(
        refused.body.errors.map(({ code, pointer }: Json) => [code, pointer]),
        [["unverified_domain", "/from_email"]],
      );
    }
    const mail = { ...MAIL, from: "Acme <bill@foreign.example>" };
    const refused = await app.api("POST", "/v1/emails", { body: mail });
    assert.deepEqual([refused.status, refused.body.code], [422, "unverified_domain"]);
    const client = await logIn(portOf(app, "takes mail by SMTP"), app.key);
    assert.match(await beginData(client, "ada@example.com"), /^354/);
    client.send("From: bill@foreign.example\r\nTo: ada@example.com\r\nSubject: x\r\n\r\nx\r\n.\r\n");
    assert.match(await client.reply(), /^550[- ]5\.7\.1 unverified_domain/);
    client.end();

    await addDomain(app.db, accountId, { name: "foreign.example" });
    assert.equal(await severityOf(app, id, "unverified_domain"), undefined);
    await until(async () => (await app.api("POST", "/v1/emails", { body: mail })).status === 202);
    const below = await campaign("news@eu.foreign.example", "Below");
    assert.equal(await severityOf(app, below.id, "unverified_domain"), undefined);
  });

  test("mail from a provider's domain is refused unless it leaves by that provider's own server", async () => {
    const { id } = await campaign("shop@gmail.com", "Free");
    assert.equal(await severityOf(app, id, "free_mail_sender"), "error");
    const refused = await act(app, id, "send");
    assert.equal(refused.status, 422, refused.text);
    assert.ok(refused.body.errors.some(({ code }: Json) => code === "free_mail_sender"));
    const server = { name: "Google", port: 587, streams: ["campaign"] };
    const made = await app.api("POST", "/v1/transports", { body: { ...server, host: "smtp.gmail.com" } });
    assert.equal(made.status, 201, made.text);
    assert.equal(await severityOf(app, id, "free_mail_sender"), undefined);
    const other = await campaign("shop@gmx.de", "Free");
    assert.equal(await severityOf(app, other.id, "free_mail_sender"), "error", "that server isn't its own");
    assert.equal((await app.api("DELETE", `/v1/transports/${made.body.id}`)).status, 204);
    assert.equal(await severityOf(app, id, "free_mail_sender"), "error");
  });

  test("mail whose key can't be opened waits, and the campaign says why; nothing leaves unsigned", async () => {
    const domainId = await addDomain(app.db, accountId, { name: "sealed.example" });
    const lost = await addDomainKey(app.db, lostSecrets, accountId, domainId, { selector: "lost" });
    dns.set("lost._domainkey.sealed.example", "TXT", [lost]);
    const { id } = await campaign("news@sealed.example", "Sealed");
    const tested = await act(app, id, "test", { to: ["me@example.com"] });
    assert.ok(tested.status >= 400, tested.text);
    assert.equal((await act(app, id, "send")).status, 202);
    await until(async () => (await readCampaign(app, id))["status"] === "paused");
    const { pause_reason, status_reason } = await readCampaign(app, id);
    assert.equal(pause_reason, "signing_key_unreadable");
    assert.match(String(status_reason), /key of sealed\.example can't be opened/);
    const email = await sendEmail(app, {
      from: "bill@sealed.example",
      to: ["bob@example.com"],
      subject: "Sealed bill",
    });
    const row = () =>
      app.db.maybeOne<{ attempt: number }>(sql`
        select d.attempt from deliveries d join retries r using (account_id, source_id, contact_id)
        where d.account_id = ${accountId} and d.state = 'deferred'
          and left(d.contact_id::text, 34) = left(${uuidOf("msg", String(email.id))}, 34)`);
    await until(async () => (await row()) !== undefined);
    assert.equal((await row())?.attempt, 0, "no attempt was made");
    assert.deepEqual([...mailsTo("me@example.com"), ...mailsTo("bob@example.com")], []);

    await app.db.execute(sql`delete from domain_keys where domain_id = ${domainId}`);
    const record = await addDomainKey(app.db, secrets, accountId, domainId, { selector: "new" });
    dns.set("new._domainkey.sealed.example", "TXT", [record]);
    await app.db.execute(sql`update domains set keys_version = keys_version + 1 where id = ${domainId}`);
    await until(async () => {
      await app.db.execute(sql`update retries set due_at = now() where account_id = ${accountId}`);
      return mailsTo("bob@example.com").length > 0;
    });
    assert.equal((await act(app, id, "resume")).status, 200);
    const signed = ["new sealed.example pass"];
    assert.deepEqual(
      await readSignatures(dns, (await mailTo("bob@example.com", "Sealed bill"))?.body),
      signed,
    );
    assert.deepEqual(await readSignatures(dns, (await mailTo("ada@example.com", "Sealed"))?.body), signed);
  });

  test("transactional mail whose key can't be opened fails when its time is over, and an alert says why it waits", async () => {
    const domainId = await addDomain(app.db, accountId, { name: "lost.example" });
    const record = await addDomainKey(app.db, lostSecrets, accountId, domainId, { selector: "gone" });
    dns.set("gone._domainkey.lost.example", "TXT", [record]);
    const email = await sendEmail(app, {
      from: "bill@lost.example",
      to: ["cleo@example.com", "dora@example.com"],
      subject: "Lost bill",
    });
    const alerts = async (status: string) => {
      const page = await app.api(
        "GET",
        `/v1/deliverability/alerts?kind=signing_key_unreadable&status=${status}`,
      );
      return page.body.data.filter(({ data }: Json) => uuidOf("dom", data.domain_id) === domainId);
    };
    await until(async () => (await alerts("open")).length > 0);
    const [alert] = await alerts("open");
    assert.equal(alert.severity, "critical");
    assert.match(alert.title, /key of lost\.example can't be opened/);
    const ofMail = sql`account_id = ${accountId} and left(contact_id::text, 34) = left(${uuidOf("msg", String(email.id))}, 34)`;
    await until(
      async () =>
        (await app.db.many(sql`select from deliveries where ${ofMail} and state = 'deferred'`)).length === 2,
    );
    const read = async () => (await app.api("GET", `/v1/emails/${email.id}`)).body;
    const wait = (hours: number) =>
      app.db.execute(sql`
        with older as (update deliveries set planned_at = now() - make_interval(hours => ${hours}::int) where ${ofMail})
        update retries set due_at = now() where ${ofMail}`);
    await wait(71);
    await until(async () => {
      const waiting = await app.db.many(
        sql`select from retries where ${ofMail} and due_at > now() + interval '30 seconds'`,
      );
      return waiting.length === 2;
    });
    assert.notEqual((await read()).status, "failed");
    await wait(72);
    await until(async () => (await read()).status === "failed");
    const { recipients } = await read();
    assert.deepEqual(
      recipients.map(({ status, reason }: Json) => [status, reason]),
      Array(2).fill(["failed", "signing_key_unreadable"]),
    );
    assert.deepEqual([...mailsTo("cleo@example.com"), ...mailsTo("dora@example.com")], []);
    const suppressed = await app.api("GET", "/v1/suppressions?email=cleo@example.com");
    assert.deepEqual(suppressed.body.data, [], "nothing is wrong with the addresses");

    await app.db.execute(sql`delete from domain_keys where domain_id = ${domainId}`);
    const found = await addDomainKey(app.db, secrets, accountId, domainId, { selector: "found" });
    dns.set("found._domainkey.lost.example", "TXT", [found]);
    await app.db.execute(
      sql`update domains set keys_version = keys_version + 1, next_check_at = now() where id = ${domainId}`,
    );
    await until(async () => (await alerts("closed")).length > 0);
  });

  test("what the account mails to a subscriber by itself is signed by its key", async () => {
    await prove("letters.example");
    const double = await makeList(app, { double_opt_in: true, from_email: "club@letters.example" });
    await addSubscriber(app, double, "new@reader.example");
    await until(() => mailsTo("new@reader.example").length > 0);
    const [mail] = mailsTo("new@reader.example");
    assert.match(mail?.body ?? "", /^From: .*club@letters\.example/m);
    assert.match(mail?.body ?? "", /\/confirm\//);
    assert.deepEqual(await readSignatures(dns, mail?.body), ["one letters.example pass"]);
  });

  test("links and the pixel of tracked transactional mail lead over the domain's host while it is right", async () => {
    const tracking_host = "links.tracked.example";
    const domainId = await prove("tracked.example", { tracking_host, tracking_ok: true });
    const html = '<p><a href="https://shop.example/order">Your order</a></p>';
    const tracked = { from: "bill@tracked.example", html, tracking: { opens: true, clicks: true } };
    const bodyOf = async (to: string, subject: string) => {
      await sendEmail(app, { ...tracked, to: [to], subject });
      return (await mailTo(to, subject))?.body.replaceAll(/=\r\n/g, "").replaceAll("=3D", "=") ?? "";
    };
    const body = await bodyOf("one@tracked.test", "Order one");
    assert.match(body, /href="https:\/\/links\.tracked\.example\//);
    assert.match(body, /src="https:\/\/links\.tracked\.example\/o\//);
    assert.doesNotMatch(body, /mail\.instance\.example/);
    await app.db.execute(sql`
      update domains set tracking_ok = false, keys_version = keys_version + 1 where id = ${domainId}`);
    let count = 0;
    await until(async () =>
      (await bodyOf("two@tracked.test", `Order ${++count} of two`)).includes(
        "https://mail.instance.example/",
      ),
    );
  });
});
