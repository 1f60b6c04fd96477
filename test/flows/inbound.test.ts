/** What comes back by SMTP: from the return path of a mail that was sent to what is kept and shown of its bounce. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { cloneDatabase } from "../support/database.ts";
import { createDatabaseProxy } from "../support/database-proxy.ts";
import { sendEmail, untilStatus } from "../support/emails.ts";
import { sendCampaign } from "../support/sent-campaigns.ts";
import { testCertificate, testKey } from "../support/smtp/certificate.ts";
import { connectRaw, type RawClient } from "../support/smtp/raw-client.ts";
import { addSubscriber, type Json, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DOMAIN = "bounces.example.net";
const INBOUND = { INBOUND_DOMAIN: DOMAIN, INBOUND_PORT: "0" };
const MB = 1_024 * 1_024;

let app: TestApp;
let folder: string;
let port: number;
let count = 0;
const unique = (name: string) => `${name}${++count}@example.com`;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "postrider-inbound-"));
  writeFileSync(join(folder, "cert.pem"), testCertificate);
  writeFileSync(join(folder, "key.pem"), testKey);
  const tls = { TLS_CERT_FILE: join(folder, "cert.pem"), TLS_KEY_FILE: join(folder, "key.pem") };
  app = await createApp({ settings: { ...INBOUND, ...tls } });
  port = portOf(app);
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

function portOf({ logs }: TestApp): number {
  const line = logs.find((one) => one.includes("takes bounces by SMTP"));
  return JSON.parse(line ?? assert.fail("no listener")).port;
}

type Sent = { readonly from: string; readonly raw: string; readonly to: string };

/** Returns the newest message that the sandbox caught for an address. */
async function sentTo(where: TestApp, to: string): Promise<Sent> {
  const page = await where.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(to)}`);
  const [{ id, from }] = page.body.data;
  const { text: raw } = await where.api("GET", `/v1/sandbox/messages/${id}/raw`);
  return { from, raw: raw.replaceAll(/\r\n[ \t]+/g, " "), to };
}

async function mailOne(where: TestApp, more: Json = {}): Promise<Sent> {
  const to = unique("mailed");
  const { id } = await sendEmail(where, { to: [to], ...more });
  await untilStatus(where, id, "sent");
  return sentTo(where, to);
}

const bounceOf = ({ to, raw = "" }: Partial<Sent>, more = "") =>
  [
    "From: MAILER-DAEMON@mx.example.com",
    "Subject: Undelivered Mail Returned to Sender",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "",
    `It could not be delivered.${more}`,
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; mx.example.com",
    "",
    `Final-Recipient: rfc822; ${to}`,
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 No such user",
    "",
    "--b",
    "Content-Type: message/rfc822",
    "",
    raw.trimEnd(),
    "--b--",
    "",
  ].join("\r\n");

async function greet(at = port): Promise<RawClient> {
  const client = await connectRaw(at);
  assert.match(await client.reply(), /^220 bounces\.example\.net ESMTP/);
  assert.match(await client.ask("EHLO mx.example.com"), /^250-bounces\.example\.net/);
  return client;
}

/** Hands a mail to the listener, and returns its last reply. */
async function deliver(to: string, mail: string, at = port): Promise<string> {
  const client = await greet(at);
  assert.match(await client.ask("MAIL FROM:<>"), /^250/);
  const said = await client.ask(`RCPT TO:<${to}>`);
  if (!said.startsWith("250")) return said;
  assert.match(await client.ask("DATA"), /^354/);
  client.send(`${mail}.\r\n`);
  const reply = await client.reply();
  client.end();
  return reply;
}

const listed = async (query = "", where = app) =>
  (await where.api("GET", `/v1/inbound?limit=200${query}`)).body.data as Json[];

async function untilRead(where: TestApp, id: unknown): Promise<Json> {
  let item: Json = {};
  await until(async () => {
    item = (await where.api("GET", `/v1/inbound/${id}`)).body;
    return item["state"] !== "waiting";
  });
  return item;
}

test("other servers are taken at their word: a sender without a dot, and postmaster without a domain", async () => {
  const client = await greet();
  assert.match(await client.ask("MAIL FROM:<root@localhost>"), /^250/);
  assert.match(await client.ask("RCPT TO:<Postmaster>"), /^250/);
  assert.match(await client.ask("RCPT TO:<somebody>"), /^553/);
  client.end();
});

test("a campaign's bounce comes to the return path of its mail, is read, and is shown with the campaign", async () => {
  const list = await makeList(app);
  const to = unique("campaign");
  await addSubscriber(app, list, to);
  const campaign = await sendCampaign(app, list);
  const sent = await sentTo(app, to);
  assert.match(sent.from, /^b[0-9a-z]{62}@bounces\.example\.net$/);
  assert.match(
    sent.raw,
    /^List-Unsubscribe: <http[^>]+>, <mailto:u[0-9a-z]{62}@bounces\.example\.net\?subject=unsubscribe>\r$/m,
  );
  assert.match(await deliver(sent.from.toUpperCase(), bounceOf(sent)), /^250 2\.0\.0 Kept/);
  const [first] = await listed();
  assert.deepEqual(
    [first?.["channel"], first?.["address_kind"], first?.["campaign_id"], first?.["envelope_from"]],
    ["smtp", "bounce", campaign, ""],
  );
  const item = await untilRead(app, first?.["id"]);
  assert.deepEqual([item["state"], item["kind"], item["matched"]], ["read", "bounce", true]);
  const [report] = item["reports"];
  assert.deepEqual(
    [report.class, report.status, report.recipient, report.campaign_id],
    ["hard", "5.1.1", to, campaign],
  );
  assert.ok(report.outcome && report.why);
  const raw = await app.api("GET", `/v1/inbound/${item["id"]}/raw`);
  assert.equal(raw.headers.get("content-type"), "message/rfc822");
  assert.equal(raw.text, bounceOf(sent));
});

test("a transactional mail has a return path for each of its recipients", async () => {
  const [one, other] = [unique("one"), unique("other")];
  const { id } = await sendEmail(app, { to: [one], bcc: [other] });
  await untilStatus(app, id, "sent");
  const [first, second] = [await sentTo(app, one), await sentTo(app, other)];
  assert.notEqual(first.from, second.from);
  assert.equal(first.raw, second.raw);
  assert.doesNotMatch(first.raw, /mailto:/);
  assert.match(await deliver(second.from, bounceOf(second)), /^250/);
  const [item] = await listed();
  assert.deepEqual([item?.["email_id"], item?.["campaign_id"]], [id, null]);
});

test("the same mail is kept once, however often it comes, and one to two addresses twice", async () => {
  const [one, other] = [await mailOne(app), await mailOne(app)];
  const before = (await listed()).length;
  for (let time = 0; time < 3; time++) assert.match(await deliver(one.from, bounceOf(one)), /^250/);
  assert.equal((await listed()).length, before + 1);
  const client = await greet();
  client.send(
    `MAIL FROM:<> SIZE=2000\r\nRCPT TO:<${one.from}>\r\nRCPT TO:<${other.from}>\r\nRCPT TO:<${other.from}>\r\nDATA\r\n`,
  );
  for (const code of [250, 250, 250, 250, 354]) assert.match(await client.reply(), new RegExp(`^${code}`));
  client.send(`${bounceOf(one, " Both.")}.\r\n`);
  assert.match(await client.reply(), /^250/);
  client.end();
  assert.equal((await listed()).length, before + 3);
});

test("no other address is taken, and whoever guesses is let go", async () => {
  const { from } = await mailOne(app);
  const flipped = (from[5] === "0" ? "1" : "0").padStart(6, from.slice(0, 5)) + from.slice(6);
  const client = await greet();
  assert.match(await client.ask("MAIL FROM:<>"), /^250/);
  assert.match(await client.ask("DATA"), /^554/);
  for (const to of [flipped, `u${from.slice(1)}`, "info@example.org", `info@${DOMAIN}`])
    assert.match(await client.ask(`RCPT TO:<${to}>`), /^550 5\.1\.1/, to);
  assert.match(await client.ask(`RCPT TO:<${from}>`), /^250/);
  assert.match(await client.ask(`RCPT TO:<other@${DOMAIN}>`), /^550/);
  await client.closed;
  const auth = await greet();
  assert.match(await auth.ask("AUTH PLAIN AGEAYg=="), /^502/);
  auth.end();
});

test("complaints to an address of the domain are known by the mail in them; nothing else is taken there", async () => {
  const sent = await mailOne(app);
  const [before] = await listed();
  const report = `Subject: complaint\r\n\r\nReturn-Path: <${sent.from}>\r\n${sent.raw}`;
  assert.match(await deliver(`FBL@${DOMAIN}`, report.replaceAll(/(?<!\r)\n/g, "\r\n")), /^250/);
  const [item] = await listed();
  assert.notEqual(item?.["id"], before?.["id"]);
  assert.equal(item?.["address_kind"], null);
  assert.match(
    await deliver(`postmaster@${DOMAIN}`, "Subject: hello\r\n\r\nAnybody there?\r\n"),
    /^550 5\.7\.1/,
  );
});

test("a line that ends with a bare LF or CR ends the connection, and nothing is kept", async () => {
  const { from } = await mailOne(app);
  const before = (await listed()).length;
  for (const end of ["\n.\r\n", "\r\n.\nMAIL FROM:<a@example.com>\r\n", "\r.\r\n", "x\rx\r\n.\r\n"]) {
    const client = await greet();
    await client.ask("MAIL FROM:<>");
    await client.ask(`RCPT TO:<${from}>`);
    await client.ask("DATA");
    client.send(`Subject: hello\r\n\r\nhello${end}`);
    assert.match(await client.reply(), /^521 5\.5\.2/, JSON.stringify(end));
    await client.closed;
  }
  const client = await greet();
  client.send("MAIL FROM:<>\n");
  assert.match(await client.reply(), /^521/);
  await client.closed;
  assert.equal((await listed()).length, before);
});

test("a mail of 50 MB is refused, whether or not it says so, and one of 9 MB is kept and read", async () => {
  const sent = await mailOne(app);
  const client = await greet();
  assert.match(await client.ask(`MAIL FROM:<> SIZE=${50 * MB}`), /^552 5\.3\.4/);
  await client.ask("MAIL FROM:<>");
  await client.ask(`RCPT TO:<${sent.from}>`);
  await client.ask("DATA");
  const line = `${"x".repeat(998)}\r\n`;
  for (let megabytes = 0; megabytes < 50 && client.socket.writable; megabytes++)
    client.send(line.repeat(Math.ceil(MB / line.length)));
  assert.match(await client.reply(), /^552 5\.3\.4/);
  await client.closed;
  assert.match(await deliver(sent.from, bounceOf(sent, `\r\n${line.repeat(9_600)}`)), /^250/);
  const [item] = await listed();
  assert.ok((item?.["bytes"] as number) > 9 * MB);
  assert.equal((await untilRead(app, item?.["id"]))["state"], "read");
});

test("parts that are nested a thousand deep are kept and read", async () => {
  const sent = await mailOne(app);
  const head = "Subject: deep\r\nMIME-Version: 1.0\r\n";
  const nested = Array.from(
    { length: 1_000 },
    (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`,
  ).join("");
  assert.match(await deliver(sent.from, `${head}${nested}\r\nhello\r\n`), /^250/);
  const [item] = await listed();
  assert.equal((await untilRead(app, item?.["id"]))["state"], "read");
});

test("TLS is offered, and a mail comes in under it", async () => {
  const sent = await mailOne(app);
  const client = await connectRaw(port);
  await client.reply();
  assert.match(await client.ask("EHLO mx.example.com"), /STARTTLS/);
  assert.match(await client.ask("STARTTLS"), /^220/);
  await client.secure();
  const offered = await client.ask("EHLO mx.example.com");
  assert.match(offered, new RegExp(`SIZE ${10 * MB}`));
  assert.doesNotMatch(offered, /STARTTLS|AUTH/);
  await client.ask("MAIL FROM:<>");
  assert.match(await client.ask(`RCPT TO:<${sent.from}>`), /^250/);
  await client.ask("DATA");
  client.send(`${bounceOf(sent)}.\r\n`);
  assert.match(await client.reply(), /^250/);
  client.end();
});

test("while the database is away a mail is put off, and comes in once when it is back", async () => {
  const sent = await mailOne(app);
  const proxy = await createDatabaseProxy(app.databaseUrl);
  const other = await createApp({
    databaseUrl: app.databaseUrl,
    settings: { ...INBOUND, ROLES: "public", DATABASE_URL: proxy.url },
  });
  try {
    const at = portOf(other);
    const client = await greet(at);
    await client.ask("MAIL FROM:<>");
    assert.match(await client.ask(`RCPT TO:<${sent.from}>`), /^250/);
    await client.ask("DATA");
    await proxy.cut();
    client.send(`${bounceOf(sent)}.\r\n`);
    assert.match(await client.reply(), /^451 4\.3\.0/);
    client.end();
    await proxy.restore();
    const lost = proxy.loseCommitAnswer("insert into inbound_items");
    assert.match(
      await deliver(sent.from, bounceOf(sent), at),
      /^451/,
      "nobody knows whether it was committed",
    );
    await lost;
    const before = await listed();
    assert.match(await deliver(sent.from, bounceOf(sent), at), /^250/);
    assert.deepEqual(await listed().then((items) => items.length), before.length);
  } finally {
    await other.stop();
    await proxy.close();
  }
});

test("what was answered with 250 is read by whichever process comes next", async () => {
  const database = await cloneDatabase();
  const taking = await createApp({
    databaseUrl: database.url,
    settings: { ...INBOUND, ROLES: "api,public,sender" },
  });
  const sent = await mailOne(taking);
  assert.match(await deliver(sent.from, bounceOf(sent), portOf(taking)), /^250/);
  const [item] = await listed("", taking);
  assert.equal(item?.["state"], "waiting");
  await taking.stop();
  const reading = await createApp({ databaseUrl: database.url, settings: INBOUND });
  assert.equal((await untilRead(reading, item?.["id"]))["state"], "read");
  await reading.stop();
  await database.drop();
});

describe("what is shown", () => {
  test("is listed page by page, newest first, by every filter, and only to its own account", async () => {
    const sent = await mailOne(app);
    await deliver(sent.from, bounceOf(sent));
    const all = await listed();
    const ids = all.map(({ id }) => id);
    assert.deepEqual(ids, ids.toSorted().reverse());
    const paged: unknown[] = [];
    let path: string | null = "/v1/inbound?limit=3&include_total=true";
    while (path) {
      const page = await app.api("GET", path);
      assert.equal(page.status, 200, page.text);
      assert.equal(page.body.total, all.length);
      paged.push(...page.body.data.map(({ id }: Json) => id));
      path = page.body.next_cursor
        ? `/v1/inbound?limit=3&include_total=true&cursor=${page.body.next_cursor}`
        : null;
    }
    assert.deepEqual(paged, ids);
    for (const item of all) await untilRead(app, item["id"]);
    const now = await listed();
    const having = (name: string, value: unknown) =>
      now.filter((one) => one[name] === value).map(({ id }) => id);
    const found = async (query: string) => (await listed(`&${query}`)).map(({ id }) => id);
    assert.deepEqual(await found("channel=smtp"), ids);
    assert.deepEqual(await found("channel=mailbox"), []);
    assert.deepEqual(await found("state=read"), having("state", "read"));
    assert.deepEqual(await found("state=failed"), []);
    for (const kind of ["bounce", "other"])
      assert.deepEqual(await found(`kind=${kind}`), having("kind", kind));
    for (const matched of [true, false])
      assert.deepEqual(await found(`matched=${matched}`), having("matched", matched));
    const [newest] = now;
    assert.deepEqual(await found(`created_after=${newest?.["created_at"]}`), []);
    assert.deepEqual(await found(`created_before=${now.at(-1)?.["created_at"]}`), []);

    const stranger = await app.addAccount();
    for (const path of [`/v1/inbound/${ids[0]}`, `/v1/inbound/${ids[0]}/raw`])
      assert.equal((await app.api("GET", path, { key: stranger.key })).status, 404, path);
    assert.equal((await app.api("POST", `/v1/inbound/${ids[0]}/reread`, { key: stranger.key })).status, 404);
    assert.deepEqual((await app.api("GET", "/v1/inbound", { key: stranger.key })).body.data, []);
  });

  test("is read once more when somebody asks for it", async () => {
    const sent = await mailOne(app);
    await deliver(sent.from, bounceOf(sent));
    const [item] = await listed();
    const first = await untilRead(app, item?.["id"]);
    const asked = await app.api("POST", `/v1/inbound/${item?.["id"]}/reread`);
    assert.equal(asked.status, 202, asked.text);
    const again = await untilRead(app, item?.["id"]);
    assert.ok(String(again["read_at"]) >= String(first["read_at"]));
    assert.equal(again["attempts"], 1);
  });

  test("is shown as it came to whoever may read such mail, and not where its content is private", async () => {
    const sent = await mailOne(app);
    await deliver(sent.from, bounceOf(sent));
    const [item] = await listed();
    const rawOf = (id: unknown, key: string) => app.api("GET", `/v1/inbound/${id}/raw`, { key });
    const reader = await app.addKey(["inbound:read"]);
    const refused = await rawOf(item?.["id"], reader);
    assert.deepEqual([refused.status, refused.body.required_scope], [403, "emails:read"]);
    assert.equal((await rawOf(item?.["id"], await app.addKey(["inbound:read", "emails:read"]))).status, 200);

    const email = unique("owner");
    await app.api("POST", "/v1/invitations", { body: { email } });
    await until(async () => {
      const page = await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(email)}`);
      return page.body.data.length > 0;
    });
    const invitation = await sentTo(app, email);
    assert.match(invitation.raw, /#/);
    assert.match(await deliver(invitation.from, bounceOf(invitation)), /^250/);
    const [returned] = await listed();
    const hidden = await rawOf(returned?.["id"], app.key);
    assert.deepEqual([hidden.status, hidden.body.code], [403, "inbound_raw_private"]);
    assert.doesNotMatch(hidden.text, /#/);

    // The link is found where nothing names the mail any more.
    const replaced = invitation.raw.replace(/^Message-ID:.*$/im, "Message-ID: <another@relay.example>");
    await deliver(sent.from, bounceOf({ to: email, raw: replaced.replaceAll(/[bu][a-z2-7]{62}/g, "gone") }));
    const [unnamed] = await listed();
    assert.deepEqual(
      [(await rawOf(unnamed?.["id"], app.key)).body.code, unnamed?.["id"] !== returned?.["id"]],
      ["inbound_raw_private", true],
    );
  });

  test("is gone with the person whom it is about", async () => {
    const list = await makeList(app);
    const to = unique("erased");
    const { id } = await addSubscriber(app, list, to);
    await sendCampaign(app, list);
    const ofCampaign = await sentTo(app, to);
    const { id: mailId } = await sendEmail(app, { to: [to] });
    await untilStatus(app, mailId, "sent");
    const ofMail = await sentTo(app, to);
    const other = await mailOne(app);
    const kept = (await listed()).map((one) => one["id"]);
    for (const sent of [ofCampaign, ofMail]) assert.match(await deliver(sent.from, bounceOf(sent)), /^250/);
    const about = (await listed()).map((one) => one["id"]).filter((one) => !kept.includes(one));
    assert.equal(about.length, 2);
    assert.ok((await app.api("POST", `/v1/subscribers/${id}/forget`)).status < 300);
    for (const one of about) assert.equal((await app.api("GET", `/v1/inbound/${one}`)).status, 404);
    assert.deepEqual(
      (await listed()).map((one) => one["id"]),
      kept,
    );
    // What comes back after the erasure is forgotten as soon as it is read, also where it names nothing but the address.
    const unnamed = bounceOf({ to });
    assert.match(await deliver(ofMail.from, bounceOf(ofMail, "X-Again: 1\r\n")), /^250/);
    assert.match(await deliver(other.from, unnamed), /^250/);
    await until(async () => (await listed()).every((one) => one["state"] === "read"));
    assert.deepEqual(
      (await listed()).map((one) => one["id"]),
      kept,
    );
  });
});

describe("an address of the account's own", () => {
  const charactersOf = async () => String((await app.api("GET", "/v1/account")).body.id).slice("acc_".length);

  test("takes DMARC reports for whoever has an account, in any case of letters, and shows what was made of them", async () => {
    const address = `dmarc-${await charactersOf()}@${DOMAIN}`;
    const subject = unique("report");
    assert.match(
      await deliver(address.toUpperCase(), `Subject: ${subject}\r\n\r\nNothing.\r\n`),
      /^250 2\.0\.0 Kept/,
    );
    const [first] = (await listed()).filter((one) => one["address_kind"] === "dmarc_report");
    const item = await untilRead(app, first?.["id"]);
    assert.deepEqual([item["state"], item["kind"], item["matched"]], ["read", "dmarc_report", null]);
    assert.ok(item["outcome"] && item["why"]);
    assert.deepEqual(item["reports"], []);
    assert.ok((await listed("&kind=dmarc_report")).some(({ id }) => id === item["id"]));
    assert.deepEqual(
      (await listed("&matched=false")).filter(({ id }) => id === item["id"]),
      [],
    );
    const reader = await app.api("POST", "/v1/api_keys", {
      body: { name: "reads", scopes: ["inbound:read"] },
    });
    const raw = await app.api("GET", `/v1/inbound/${item["id"]}/raw`, { key: reader.body.key });
    assert.ok(raw.text.includes(subject));
    const { session } = await app.db.one<{ session: Json }>(
      sql`select session from inbound_items where address_kind = 'dmarc_report' order by id desc limit 1`,
    );
    assert.deepEqual(session, { ip: "127.0.0.1", helo: "mx.example.com", tls: null });
  });

  test("is refused where there is no such account, and no such test", async () => {
    const characters = await charactersOf();
    const nobody = `${characters.slice(0, -4)}0000`;
    for (const local of [
      `dmarc-${nobody}`,
      "dmarc-",
      `dmarc-${characters}x`,
      `test+${characters}${characters}`,
      `test+${nobody}${characters}`,
      `test+${characters}`,
    ])
      assert.match(await deliver(`${local}@${DOMAIN}`, "Subject: x\r\n\r\nx\r\n"), /^550 5\.1\.1/, local);
  });

  test("is closed for a while where a flood of reports comes", async () => {
    const other = await createApp({ settings: INBOUND });
    try {
      const { id } = (await other.api("GET", "/v1/account")).body;
      const address = `dmarc-${String(id).slice("acc_".length)}@${DOMAIN}`;
      const large = `Subject: ${unique("large")}\r\n\r\n${"x".repeat(900)}\r\n`;
      assert.match(await deliver(address, large, portOf(other)), /^250/);
      await other.db.execute(sql`update inbound_items set bytes = ${300 * MB}`);
      assert.match(await deliver(address, `X-N: 2\r\n${large}`, portOf(other)), /^452 4\.2\.2/);

      // Whoever was let in before the flood is asked to come again, and not refused for good.
      await other.db.execute(sql`update inbound_items set bytes = 1`);
      const client = await connectRaw(portOf(other));
      await client.reply();
      for (const line of ["EHLO mx.example.com", "MAIL FROM:<a@example.com>", `RCPT TO:<${address}>`, "DATA"])
        await client.ask(line);
      await other.db.execute(sql`update inbound_items set bytes = ${300 * MB}`);
      assert.match(String(await client.ask(`X-N: 3\r\n${large}.`)), /^452 4\.2\.2/);
      client.end();
    } finally {
      await other.stop();
    }
  });
});
