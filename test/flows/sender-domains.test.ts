/** Mail from the domains of an account: by which keys it is signed, from which hosts it leaves, and what isn't sent at all. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { loadDkimKey, publicKeyRecord } from "../../src/mail/dkim/dkim.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, portOf, TEST_SECRET_KEY, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { act, makeCampaign, readCampaign, severityOf } from "../support/campaigns.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { addDomain, addDomainKey, readSignatures } from "../support/domains.ts";
import { MAIL, sendEmail } from "../support/emails.ts";
import { connectRaw } from "../support/smtp/raw-client.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { addSubscriber, type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const secrets = createSecrets([TEST_SECRET_KEY]);
const INBOUND_DOMAIN = "bounces.instance.example";

describe("mail from a domain of the account", () => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-domains-"));
  const deferred = new Set<string>();
  let app: TestApp;
  let relay: Relay;
  let dns: DnsServer;
  let accountId: string;
  let listId: string;

  before(async () => {
    dns = await startDnsServer();
    relay = await startRelay({
      disabledCommands: ["STARTTLS", "AUTH"],
      onRcptTo({ address }: { address: string }, _session: unknown, done: (error?: Error) => void) {
        const isFirst = address.startsWith("later") && !deferred.has(address);
        deferred.add(address);
        done(isFirst ? Object.assign(new Error("try again"), { responseCode: 451 }) : undefined);
      },
    });
    const pem = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    }) as string;
    const file = join(folder, "given.pem");
    writeFileSync(file, pem, { mode: 0o600 });
    const loaded = loadDkimKey({ domain: "given.example", selector: "mail", pem });
    assert.ok(loaded.ok);
    dns.set("mail._domainkey.given.example", "TXT", [publicKeyRecord(loaded.key)]);
    const settings = {
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      PUBLIC_URL: "https://mail.instance.example",
      DKIM_KEYS: `given.example:mail:${file}`,
      SYSTEM_FROM: "Postrider <system@given.example>",
      RETRY_AFTER_SECONDS: "1",
      INBOUND_DOMAIN,
      INBOUND_PORT: "0",
    };
    app = await createApp({ settings, served: WITH_UNSUBSCRIBE });
    accountId = uuidOf("acc", app.accountId);
    listId = await makeList(app);
    await app.api("PATCH", `/v1/lists/${listId}`, { body: { postal_address: "1 High Street, London" } });
    await addSubscriber(app, listId, "ada@example.com");
    await addSubscriber(app, listId, "later@example.com");
  });
  after(async () => {
    await app.stop();
    await Promise.all([relay.close(), dns.close()]);
    rmSync(folder, { recursive: true });
  });

  /** Makes a domain that is proved, with a key in the DNS. */
  async function prove(name: string, more: Partial<Parameters<typeof addDomain>[2]> = {}): Promise<string> {
    const id = await addDomain(app.db, accountId, { name, ...more });
    await addKey(id, name, "one");
    return id;
  }

  async function addKey(
    domainId: string,
    name: string,
    selector: string,
    more: Partial<Parameters<typeof addDomainKey>[4]> = {},
  ): Promise<void> {
    const record = await addDomainKey(app.db, secrets, accountId, domainId, { selector, ...more });
    dns.set(`${selector}._domainkey.${name}`, "TXT", [record]);
  }

  const raise = (domainId: string) =>
    app.db.execute(sql`
      update domains set keys_version = keys_version + 1 where account_id = ${accountId} and id = ${domainId}`);

  const received = (subject: string, to: string) =>
    relay.received.filter((one) => one.body.includes(`Subject: ${subject}\r\n`) && one.to.includes(to));

  /** Waits for a mail, and asks the DNS about each of its signatures. */
  async function signaturesOf(subject: string, to = "ada@example.com"): Promise<string[]> {
    await until(() => received(subject, to).length > 0);
    return signaturesIn(received(subject, to)[0]);
  }

  const signaturesIn = (mail: Relay["received"][number] | undefined) => readSignatures(dns, mail?.body);

  /** Senders know a change within a second: mails one after another until one shows it. */
  const mailUntil = async (domain: string, isChanged: (mail: Relay["received"][number]) => boolean) => {
    let count = 0;
    await until(async () => {
      const subject = `Probe ${++count} of ${domain}`;
      await sendEmail(app, { from: `probe@${domain}`, to: ["bob@example.com"], subject });
      await until(() => received(subject, "bob@example.com").length > 0);
      return received(subject, "bob@example.com").some(isChanged);
    });
  };

  const campaign = (from_email: string, subject: string, more: Json = {}) =>
    makeCampaign(app, listId, { from_email, subject, ...more });

  test("is signed by all its keys that are in the DNS: campaigns, tests and transactional mail", async () => {
    const id = await prove("signed.example");
    await addKey(id, "signed.example", "two", { algorithm: "ed25519" });
    await addKey(id, "signed.example", "three", { state: "standby" });
    const both = ["one signed.example pass", "two signed.example pass"];
    const { id: campaignId } = await campaign("news@signed.example", "Signed");
    assert.ok((await act(app, campaignId, "test", { to: ["me@example.com"] })).status < 300);
    assert.equal((await act(app, campaignId, "send")).status, 202);
    await sendEmail(app, {
      from: "Acme <bill@eu.signed.example>",
      to: ["bob@example.com"],
      subject: "Receipt",
    });
    assert.deepEqual(await signaturesOf("Signed", "me@example.com"), both);
    assert.deepEqual(await signaturesOf("Signed"), both);
    assert.deepEqual(await signaturesOf("Receipt", "bob@example.com"), both);
    await until(async () => (await readCampaign(app, campaignId))["status"] === "sent");
  });

  test("is signed by the new key once keys were rotated, also where a mail is tried again", async () => {
    deferred.clear();
    const id = await prove("rotated.example");
    await addKey(id, "rotated.example", "next", { state: "standby" });
    const { id: campaignId } = await campaign("news@rotated.example", "Rotated");
    assert.equal((await act(app, campaignId, "send")).status, 202);
    assert.deepEqual(await signaturesOf("Rotated"), ["one rotated.example pass"]);
    // One key of each algorithm signs, so they change places one after the other.
    await app.db.execute(sql`
      update domain_keys set state = 'retiring'
      where account_id = ${accountId} and domain_id = ${id} and state = 'active'`);
    await app.db.execute(sql`
      update domain_keys set state = 'active'
      where account_id = ${accountId} and domain_id = ${id} and state = 'standby'`);
    await raise(id);
    const again = await campaign("news@rotated.example", "Again");
    await mailUntil("rotated.example", ({ body }) => body.includes("s=next"));
    assert.equal((await act(app, again.id, "send")).status, 202);
    assert.deepEqual(await signaturesOf("Again"), ["next rotated.example pass"]);
    assert.match(
      (await signaturesOf("Rotated", "later@example.com"))[0] ?? "",
      /^(?:one|next) rotated\.example pass$/,
    );
  });

  test("of the instance itself is signed by its key in whichever account's name it leaves", async () => {
    const neighbour = await app.addAccount();
    const body = { email: "invited@example.com" };
    assert.equal((await app.api("POST", "/v1/invitations", { key: neighbour.key, body })).status, 201);
    const mailed = () => relay.received.find(({ to }) => to.includes("invited@example.com"));
    await until(() => mailed() !== undefined);
    assert.match(mailed()?.body ?? "", /^From: Postrider <system@given\.example>/m);
    assert.deepEqual(await signaturesIn(mailed()), ["mail given.example pass"]);
  });

  test("isn't signed by a key that the DNS no longer has", async () => {
    const id = await addDomain(app.db, accountId, { name: "lost.example", status: "failing" });
    await addDomainKey(app.db, secrets, accountId, id, { selector: "one", isSeen: false });
    await sendEmail(app, { from: "bill@lost.example", to: ["ada@example.com"], subject: "Lost" });
    assert.deepEqual(await signaturesOf("Lost"), []);
  });

  test("of a key in DKIM_KEYS is signed for the first account, and not for a neighbour", async () => {
    await sendEmail(app, { from: "bill@given.example", to: ["ada@example.com"], subject: "Given" });
    assert.deepEqual(await signaturesOf("Given"), ["mail given.example pass"]);
    const neighbour = await app.addAccount();
    const forged = { ...MAIL, from: "bill@given.example", to: ["ada@example.com"], subject: "Forged" };
    const sent = await app.api("POST", "/v1/emails", { key: neighbour.key, body: forged });
    assert.equal(sent.status, 202, sent.text);
    assert.deepEqual(await signaturesOf("Forged"), []);
    const proved = await addDomain(app.db, neighbour.accountId, { name: "given.example" });
    await addDomainKey(app.db, secrets, neighbour.accountId, proved, { selector: "theirs" });
    await sendEmail(app, { from: "bill@given.example", to: ["ada@example.com"], subject: "Still given" });
    assert.deepEqual(await signaturesOf("Still given"), ["mail given.example pass"]);
  });

  test("leaves from its return path, whose bounces are taken for that account alone, and links over its host", async () => {
    const hosts = { return_path: "bounce.hosts.example", tracking_host: "links.hosts.example" };
    const domainId = await prove("hosts.example", { ...hosts, return_path_ok: true, tracking_ok: true });
    const html = '<p><a href="https://example.org/">See</a></p>';
    const { id } = await campaign("news@hosts.example", "Hosts", { html });
    assert.equal((await act(app, id, "send")).status, 202);
    await until(() => received("Hosts", "ada@example.com").length > 0);
    const [mail] = received("Hosts", "ada@example.com");
    assert.match(mail?.from ?? "", /^b\w{62}@bounce\.hosts\.example$/);
    const text = mail?.body.replaceAll(/=\r\n/g, "").replaceAll(/\r\n[ \t]+/g, " ") ?? "";
    assert.match(text, /^List-Unsubscribe: <https:\/\/links\.hosts\.example\/u\//m);
    assert.match(text, /https:\/\/links\.hosts\.example\/c\//);
    assert.doesNotMatch(text, /mail\.instance\.example/);

    const ask = await connectRaw(portOf(app, "takes bounces by SMTP"));
    await ask.reply();
    await ask.ask("EHLO mx.example.com");
    await ask.ask("MAIL FROM:<>");
    const local = mail?.from.split("@")[0];
    const forged = `${local?.slice(0, -1)}${local?.endsWith("0") ? "1" : "0"}`;
    assert.match(await ask.ask(`RCPT TO:<${forged}@bounce.hosts.example>`), /^550/);
    assert.match(
      await ask.ask(`RCPT TO:<${local}@bounce.before.example>`),
      /^250/,
      "the host was changed since",
    );
    assert.match(await ask.ask("RCPT TO:<postmaster@bounce.hosts.example>"), /^550/);
    assert.match(await ask.ask(`RCPT TO:<${local}@Bounce.hosts.example>`), /^250/);
    ask.end();

    await app.db.execute(sql`
      update domains set tracking_ok = false, return_path_ok = false, keys_version = keys_version + 1
      where account_id = ${accountId} and id = ${domainId}`);
    await mailUntil("hosts.example", ({ from }) => from.endsWith(`@${INBOUND_DOMAIN}`));
    const { id: later } = await campaign("news@hosts.example", "Fallen back", { html });
    assert.equal((await act(app, later, "send")).status, 202);
    await until(() => received("Fallen back", "ada@example.com").length > 0);
    const [fallen] = received("Fallen back", "ada@example.com");
    assert.equal(fallen?.from.split("@")[1], INBOUND_DOMAIN);
    assert.doesNotMatch(fallen?.body ?? "", /links\.hosts\.example/);
  });

  test("that isn't proved is warned of", async () => {
    const { id } = await campaign("news@foreign.example", "Foreign");
    assert.equal(await severityOf(app, id, "unverified_domain"), "warning");
    assert.ok((await act(app, id, "test", { to: ["me@example.com"] })).status < 300);
  });
});
