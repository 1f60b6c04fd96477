/** Mail that programs submit by SMTP becomes the same thing as mail of the API. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import nodemailer from "nodemailer";
import { createApp, type TestApp } from "../support/app.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { caughtFor, readEmail, untilStatus } from "../support/emails.ts";
import { testCertificate, testKey } from "../support/smtp/certificate.ts";
import { beginData, connectRaw, logIn, type RawClient } from "../support/smtp/raw-client.ts";

let app: TestApp;
let folder: string;
let port: number;
let tlsPort: number;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "postrider-tls-"));
  writeFileSync(join(folder, "cert.pem"), testCertificate);
  writeFileSync(join(folder, "key.pem"), testKey);
  app = await createApp({
    settings: {
      SUBMISSION_PORT: "0",
      SUBMISSION_TLS_PORT: "0",
      TLS_CERT_FILE: join(folder, "cert.pem"),
      TLS_KEY_FILE: join(folder, "key.pem"),
    },
  });
  [port, tlsPort] = portsOf(app) as [number, number];
});
after(async () => {
  await app.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns the ports that the log names, the plain one first. */
function portsOf({ logs }: TestApp): number[] {
  return logs.filter((line) => line.includes("takes mail by SMTP")).map((line) => JSON.parse(line).port);
}

const idIn = (said: string) => /msg_\w+/.exec(said)?.[0] ?? assert.fail(said);

test("nodemailer sends a mail with a name, a hidden recipient, a picture, a file, tags and metadata", async () => {
  const transport = nodemailer.createTransport({
    host: "localhost",
    port,
    requireTLS: true,
    tls: { ca: testCertificate },
    auth: { user: "apikey", pass: app.key },
  });
  const { response } = await transport.sendMail({
    from: "Ácme, Inc <billing@acme.example>",
    to: '"Lovelace, Ada" <ada@example.com>',
    cc: "grace@example.com",
    bcc: "hidden@example.com",
    replyTo: "help@acme.example",
    subject: "Ihre Rechnung über 12 €",
    text: "Danke.\n.\n..Punkte\n",
    html: '<p>Danke <img src="cid:logo@acme"></p>',
    headers: {
      "X-Postrider-Tag": ["receipt", "Größe"],
      "X-Postrider-Metadata": '{"order": "4711"}',
      "X-Order": "47 €",
      "X-Mailer": "a framework",
    },
    messageId: "<own@acme.example>",
    attachments: [
      { filename: "logo.png", content: Buffer.from("PNG"), cid: "logo@acme", contentType: "image/png" },
      { filename: "Übersicht.txt", content: "a,b", contentType: "text/plain" },
    ],
  });
  const id = idIn(response);
  assert.match(response, /^250 2\.0\.0 /);
  const email = await untilStatus(app, id, "sent");
  assert.equal(email["from"], '"Ácme, Inc" <billing@acme.example>');
  assert.deepEqual(email["bcc"], ["hidden@example.com"]);
  assert.deepEqual(email["tags"], ["receipt", "Größe"]);
  assert.deepEqual(email["metadata"], { order: "4711" });
  assert.deepEqual(
    (email["attachments"] as { filename: string; size: number }[]).map(({ filename, size }) => [
      filename,
      size,
    ]),
    [
      ["logo.png", 3],
      ["Übersicht.txt", 3],
    ],
  );
  const [raw = ""] = await caughtFor(app, "hidden@example.com");
  assert.match(raw, /^To: "Lovelace, Ada" <ada@example\.com>\r?$/m);
  assert.match(raw, /^X-Order: =\?/m);
  assert.match(raw, /^X-Mailer: a framework/m);
  assert.match(raw, /^=2E\r?$/m);
  assert.match(raw, /^=2E\.Punkte/m);
  assert.match(raw, /cid:logo@acme/);
  assert.doesNotMatch(raw, /postrider-(?:tag|metadata)|hidden@|own@acme/i);
});

const HEADER = "From: billing@acme.example\r\nSubject: hello\r\n";

async function submit(client: RawClient, mail: string, ...recipients: readonly string[]): Promise<string> {
  assert.match(await beginData(client, ...recipients), /^354 /);
  client.send(`${mail}\r\n.\r\n`);
  return client.reply();
}

test("who isn't in To or Cc is hidden, and a To that names nobody of the envelope is not shown", async () => {
  const client = await logIn(port, app.key);
  const said = await submit(
    client,
    `To: list@example.org\r\n${HEADER}\r\nhi`,
    "a@example.com",
    "b@example.com",
  );
  const email = await readEmail(app, idIn(said));
  assert.deepEqual([email["to"], email["bcc"]], [[], ["a@example.com", "b@example.com"]]);
  await untilStatus(app, email["id"], "sent");
  const [raw = ""] = await caughtFor(app, "a@example.com");
  assert.match(raw, /^To: billing@acme\.example\r$/m);
  client.end();
});

test("the very same mail with a Message-ID is accepted once; without one, or to others, it is another", async () => {
  const client = await logIn(port, app.key);
  const mail = `Message-ID: <1@acme.example>\r\n${HEADER}\r\nhi`;
  const first = await submit(client, mail, "again@example.com");
  assert.equal(await submit(client, mail, "again@example.com"), first);
  assert.notEqual(await submit(client, mail, "other@example.com"), first);
  const [one, two] = [
    await submit(client, `${HEADER}\r\nhi`, "twice@example.com"),
    await submit(client, `${HEADER}\r\nhi`, "twice@example.com"),
  ];
  assert.notEqual(idIn(one), idIn(two));
  // Two at once, on connections of their own, are one mail and an answer that is right about it.
  const second = await logIn(port, app.key);
  const both = await Promise.all(
    [client, second].map((each) =>
      submit(each, `Message-ID: <2@acme.example>\r\n${HEADER}\r\nhi`, "race@example.com"),
    ),
  );
  const accepted = both.filter((said) => said.startsWith("250"));
  assert.ok(
    accepted.length >= 1 && both.every((said) => said === accepted[0] || said.startsWith("451")),
    both.join(),
  );
  const found = await app.api("GET", "/v1/emails?to=race@example.com");
  assert.equal(found.body.data.length, 1);
  for (const each of [client, second]) each.end();
});

test("headers that programs write in their own ways leave as the standards want them", async () => {
  const client = await logIn(port, app.key);
  const headers = [
    "List-Unsubscribe: <https://acme.example/u?",
    " a=1> (one click), <mailto:u@acme.example>",
    "In-Reply-To: Your message of Monday <a@b.example>",
    "References: <a@b.example><c@d.example>, <e@f.example>",
    'Auto-Submitted: auto-generated; owner-email="u@acme.example"',
    "X-Some.Thing: stays behind",
  ];
  const said = await submit(client, `${HEADER}${headers.join("\r\n")}\r\n\r\nhi`, "ways@example.com");
  await untilStatus(app, idIn(said), "sent");
  const [raw = ""] = await caughtFor(app, "ways@example.com");
  const unfolded = raw.replaceAll(/\r\n[ \t]+/g, " ");
  for (const line of [
    "List-Unsubscribe: <https://acme.example/u?a=1>, <mailto:u@acme.example>",
    "In-Reply-To: <a@b.example>",
    "References: <a@b.example> <c@d.example> <e@f.example>",
    "Auto-Submitted: auto-generated",
  ])
    assert.ok(unfolded.includes(`${line}\r\n`), line);
  assert.doesNotMatch(raw, /X-Some/i);
  // What says nothing stays behind.
  assert.match(await submit(client, `${HEADER}In-Reply-To: nothing\r\n\r\nhi`, "ways@example.com"), /^250/);
  client.end();
});

test("refusals have the words of the API, and the connection goes on", async () => {
  await app.api("POST", "/v1/suppressions", { body: { email: "gone@example.com", reason: "manual" } });
  const client = await logIn(port, app.key);
  const refused = async (mail: string, pattern: RegExp, ...recipients: readonly string[]) =>
    assert.match(await submit(client, mail, ...recipients), pattern);
  await refused(
    `${HEADER}\r\nhi`,
    /^550-5\.7\.1 recipients_suppressed.*\n550 5\.7\.1 \/bcc\/0: suppressed/,
    "gone@example.com",
  );
  assert.match(
    await submit(client, `${HEADER}\r\nhi`, "gone@example.com", "here@example.com"),
    /^250 .*1 of 2 recipients are suppressed/,
  );
  await refused(
    "Subject: x\r\n\r\nhi",
    /^554-5\.6\.0 validation_failed.*\n554 5\.6\.0 \/from: required/,
    "a@example.com",
  );
  await refused("From: a@b.example, c@d.example\r\n\r\nhi", /\/from: too_many/, "a@example.com");
  await refused(`${HEADER}X-Postrider-Metadata: {oops\r\n\r\nhi`, /invalid_json/, "a@example.com");
  for (const [json, pattern] of [
    ['{"a": "\\ud800"}', /\/metadata\/a: invalid_character/],
    ['{"__proto__": "a"}', /\/metadata\/__proto__: invalid_character/],
    [`{"a": ${"[".repeat(60_000)}${"]".repeat(60_000)}}`, /nested over 32 levels/],
  ] as const)
    await refused(`${HEADER}X-Postrider-Metadata: ${json}\r\n\r\nhi`, pattern, "a@example.com");
  await refused(`${HEADER}X-Postrider-Tags: a\r\n\r\nhi`, /header_not_allowed/, "a@example.com");
  await refused(`${HEADER}X-Postrider-Template: no id\r\n\r\nhi`, /template_id/, "a@example.com");
  await refused(`${HEADER}\r\na\0b`, /NUL/, "a@example.com");
  await refused(
    `${"X-Many: x\r\n".repeat(10_000)}${HEADER}\r\nhi`,
    /554 5\.6\.0 \/headers: too_long/,
    "a@example.com",
  );
  await refused(bomb(60), /too_complex/, "a@example.com");
  await refused(
    `${HEADER}Content-Type: text/plain; name="../../etc/passwd"\r\n\r\nhi`,
    /\/attachments\/0\/filename: invalid_filename/,
    "a@example.com",
  );
  await refused(`${HEADER}\r\n${"a".repeat(600 * 1_024)}`, /\/text/, "a@example.com");
  await client.ask("MAIL FROM:<>");
  for (let n = 0; n < 50; n++) assert.match(await client.ask(`RCPT TO:<p${n}@example.com>`), /^250/);
  assert.match(await client.ask("RCPT TO:<p50@example.com>"), /^452 4\.5\.3/);
  assert.match(await client.ask("RSET"), /^250/);
  assert.match(await client.ask("MAIL FROM:<a@b.example> SIZE=99999999"), /^552 5\.3\.4/);
  client.end();
});

/** A mail of parts within parts. */
function bomb(depth: number): string {
  let mail = HEADER;
  for (let n = 0; n < depth; n++) mail += `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`;
  return `${mail}\r\nhi`;
}

test("only a key that may send lets in, and one that is revoked sends no more", async () => {
  const tryKey = async (key: string) => {
    const client = await connectRaw(port);
    await client.reply();
    await client.ask("EHLO test.example");
    await client.ask("AUTH LOGIN");
    await client.ask(Buffer.from("anybody").toString("base64"));
    const said = await client.ask(Buffer.from(key).toString("base64"));
    client.end();
    return said;
  };
  assert.match(await tryKey(app.key), /^235/);
  assert.match(await tryKey("pr_wrong"), /^535 5\.7\.8 unauthorized/);
  assert.match(await tryKey(`${app.key}x`), /^535/);
  assert.match(await tryKey(await app.addKey(["emails:read"])), /^535 5\.7\.8 missing_scope.*emails:send/);
  const other = await app.addAccount();
  const client = await logIn(port, other.key);
  const id = idIn(await submit(client, `${HEADER}\r\nhi`, "theirs@example.com"));
  assert.equal((await app.api("GET", `/v1/emails/${id}`)).status, 404);
  const keys = await app.api("GET", "/v1/api_keys", { key: other.key });
  await app.api("DELETE", `/v1/api_keys/${keys.body.data[0].id}`, { key: other.key });
  let said = "";
  do {
    said = await client.ask("MAIL FROM:<a@acme.example>");
    if (said.startsWith("250")) await client.ask("RSET");
  } while (said.startsWith("250"));
  assert.match(said, /^535/);
  client.end();
});

test("no bare line break ends a mail or a command, and none gets in", async () => {
  const smuggled =
    "MAIL FROM:<admin@acme.example>\r\nRCPT TO:<victim@example.com>\r\nDATA\r\nFrom: a@b.example\r\n\r\nx\r\n.\r\n";
  for (const end of [
    "\n.\n",
    "\r\n.\n",
    "\n.\r\n",
    "\r.\r",
    "\r\n.\r",
    "\r.\r\n",
    "\n\n.\r\n",
    "\r\r\n.\r\r\n",
  ]) {
    const client = await logIn(port, app.key);
    await beginData(client, "a@example.com");
    client.send(`${HEADER}\r\nhi${end}${smuggled}`);
    assert.match(await client.reply(), /^521 5\.5\.2/, JSON.stringify(end));
    await client.closed;
    assert.equal(await client.reply(), "");
  }
  const found = await app.api("GET", "/v1/emails?to=victim@example.com");
  assert.equal(found.body.data.length, 0);
  const client = await connectRaw(port);
  await client.reply();
  client.send("EHLO test.example\n");
  assert.match(await client.reply(), /^521/);
  await client.closed;
});

test("a certificate is renewed without a restart, and TLS may begin with the first byte", async () => {
  const secured = await connectRaw(tlsPort, { isTls: true });
  assert.match(await secured.reply(), /^220/);
  assert.doesNotMatch(await secured.ask("EHLO test.example"), /STARTTLS/);
  secured.end();
  const client = await connectRaw(port);
  await client.reply();
  writeFileSync(join(folder, "cert.pem"), `${testCertificate}\n`);
  assert.match(await client.ask("EHLO test.example"), /STARTTLS/);
  assert.match(await client.ask("STARTTLS"), /^220/);
  await client.secure();
  assert.match(await client.ask("EHLO test.example"), /AUTH PLAIN LOGIN/);
  client.end();
  assert.ok(app.logs.some((line) => line.includes("certificate has changed and was read again")));
});

test("a hundred connections that say nothing keep nobody out", async () => {
  const silent = await Promise.all(Array.from({ length: 120 }, () => connectRaw(port)));
  const client = await logIn(port, app.key);
  assert.match(await submit(client, `${HEADER}\r\nhi`, "still@example.com"), /^250/);
  for (const one of [...silent, client]) one.end();
});

test("while the database is away a mail is answered 451, and the same one is accepted later", async () => {
  const proxy: DatabaseProxy = await createDatabaseProxy(app.databaseUrl);
  const second = await createApp({
    databaseUrl: proxy.url,
    settings: { SUBMISSION_PORT: "0", ROLES: "public" },
  }).catch(async (error) => {
    await proxy.close();
    throw error;
  });
  try {
    const client = await logIn(portsOf(second)[0] as number, second.key);
    const mail = `Message-ID: <away@acme.example>\r\n${HEADER}\r\nhi`;
    assert.match(await beginData(client, "away@example.com"), /^354/);
    await proxy.cut();
    client.send(`${mail}\r\n.\r\n`);
    assert.match(await client.reply(), /^451 4\.3\.0 database_unavailable/);
    await proxy.restore();
    // The commit may be done and its answer lost: then a second try finds the first.
    await beginData(client, "away@example.com");
    const lost = proxy.loseCommitAnswer("insert into email_contents");
    client.send(`${mail}\r\n.\r\n`);
    await lost;
    assert.match(await client.reply(), /^451 4\.3\.0/);
    assert.match(await submit(client, mail, "away@example.com"), /^250/);
    const found = await app.api("GET", "/v1/emails?to=away@example.com");
    assert.equal(found.body.data.length, 1);
    client.end();
  } finally {
    await second.stop();
    await proxy.close();
  }
});

test("a process that stops finishes the mail that it is being sent, and tells the others", async () => {
  const second = await createApp({
    databaseUrl: app.databaseUrl,
    settings: { SUBMISSION_PORT: "0", ROLES: "public" },
  });
  const [own = 0] = portsOf(second);
  const [busy, idle] = await Promise.all([logIn(own, second.key), logIn(own, second.key)]);
  await beginData(busy, "last@example.com");
  busy.send(HEADER);
  const stopped = second.stop();
  assert.match(await idle.reply(), /^421 4\.3\.2/);
  busy.send("\r\nhi\r\n.\r\n");
  const id = idIn(await busy.reply());
  assert.match(await busy.reply(), /^421 4\.3\.2/);
  await stopped;
  assert.equal((await readEmail(app, id))["subject"], "hello");
});

const python = await promisify(execFile)("python3", ["-c", "import smtplib"]).then(
  () => true,
  () => false,
);

test("Python's smtplib sends a mail", { skip: python ? false : "there is no python3 here" }, async () => {
  const script = `
import smtplib, ssl, sys
from email.message import EmailMessage
m = EmailMessage()
m["From"] = "Acme <billing@acme.example>"
m["To"] = "Zoë <zoe@example.com>"
m["Subject"] = "Grüße"
m["X-Postrider-Tag"] = "python"
m.set_content("Hallo\\n")
m.add_alternative("<p>Hallo</p>", subtype="html")
m.add_attachment(b"abc", maintype="application", subtype="pdf", filename="Größe.pdf")
s = smtplib.SMTP("localhost", ${port})
s.starttls(context=ssl.create_default_context(cafile="${join(folder, "cert.pem")}"))
s.login("apikey", sys.stdin.read())
s.send_message(m)
s.quit()`;
  const ran = promisify(execFile)("python3", ["-c", script]);
  ran.child.stdin?.end(app.key);
  await ran;
  const found = await app.api("GET", "/v1/emails?tag=python");
  const [email] = found.body.data;
  assert.deepEqual([email.subject, email.to], ["Grüße", ["Zoë <zoe@example.com>"]]);
  assert.equal(email.attachments[0].filename, "Größe.pdf");
});
