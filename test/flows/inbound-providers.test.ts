/** Providers post what became of mail: who posts is checked, what they say is kept once, and mail is named to them. */
import assert from "node:assert/strict";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { after, before, describe, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { findByProviderId } from "../../src/delivery/delivery.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { createDatabaseProxy, type DatabaseProxy } from "../support/database-proxy.ts";
import { sendEmail, untilStatus } from "../support/emails.ts";
import { type ScriptedServer, startScriptedServer } from "../support/smtp/scripted-server.ts";
import { type SnsHost, snsBody, startSnsHost, TOPIC } from "../support/sns.ts";
import { snsCertificate } from "../support/sns-certificate.ts";
import { type Json, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const SNS = "sns.us-east-1.amazonaws.com";
const SENDGRID = "smtp.sendgrid.net";

/**
 * These names lead to this machine here, as they might where somebody has taken over the DNS; the program itself has nothing for
 * tests. It reaches what is inside by INTERNAL_HOSTS alone, and believes the certificate by the authorities of the process.
 */
function pretendHosts(): () => void {
  const { lookup } = dns;
  const authorities = getCACertificates("default");
  setDefaultCACertificates([...authorities, snsCertificate]);
  const pretended = (host: string, options: object, callback: (...found: unknown[]) => void) =>
    host === SNS || host === SENDGRID || host === "sns.eu-west-1.amazonaws.com"
      ? callback(null, [{ address: "127.0.0.1", family: 4 }])
      : lookup(host, options, callback as never);
  dns.lookup = pretended as never;
  syncBuiltinESMExports();
  return () => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
    setDefaultCACertificates(authorities);
  };
}

let restoreHosts: () => void;
let sns: SnsHost;
let proxy: DatabaseProxy;
let app: TestApp;
before(async () => {
  restoreHosts = pretendHosts();
  sns = await startSnsHost();
  app = await createApp({ settings: { INTERNAL_HOSTS: `${SNS},${SENDGRID}` } });
});
after(async () => {
  await app.stop();
  sns.close();
  restoreHosts();
});

type Endpoint = { id: string; url: string };

async function makeEndpoint(provider: string, more: Json = {}, key = app.key): Promise<Endpoint> {
  const made = await app.api("POST", "/v1/inbound/endpoints", { body: { provider, ...more }, key });
  assert.equal(made.status, 201, made.text);
  return { id: String(made.body.id), url: String(made.body.url) };
}

async function post(
  url: string,
  body: Buffer | string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const path = new URL(url).pathname;
  const answer = await fetch(`${app.baseUrl}${path}`, {
    method: "POST",
    body: new Uint8Array(Buffer.from(body)),
    headers: { "content-type": "text/plain; charset=UTF-8", ...headers },
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: text && JSON.parse(text) };
}

async function makeSendgrid() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const secret = publicKey.export({ format: "der", type: "spki" }).toString("base64");
  const endpoint = await makeEndpoint("sendgrid", { secret });
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signed = (body: string) => ({
    "x-twilio-email-event-webhook-signature": sign(
      "sha256",
      Buffer.from(timestamp + body),
      privateKey,
    ).toString("base64"),
    "x-twilio-email-event-webhook-timestamp": timestamp,
  });
  return { endpoint, signed };
}

async function countItems({ id }: Endpoint): Promise<number> {
  const { count } = await app.db.one<{ count: number }>(sql`
    select count(*) as count from inbound_items where channel_id = ${uuidOf("iep", id)}`);
  return count;
}

async function readEndpoint({ id }: Endpoint, key = app.key): Promise<Reply> {
  return app.api("GET", `/v1/inbound/endpoints/${id}`, { key });
}

/** What was answered, in short. */
const brief = ({ status, body }: Reply) => `${status} ${body.why ?? body.code ?? ""}`.trim();

const bounce = (n: number) => ({
  Message: JSON.stringify({
    notificationType: "Bounce",
    mail: { messageId: `m-${n}` },
    bounce: { bounceType: "Permanent", bouncedRecipients: [{ emailAddress: `a${n}@example.org` }] },
  }),
  MessageId: `id-${n}`,
});

describe("SES through SNS", () => {
  test("confirms the subscription by itself, and keeps each notification once", async () => {
    const endpoint = await makeEndpoint("ses");
    assert.equal(brief(await post(endpoint.url, snsBody(sns, "Notification"))), "401 unconfirmed");
    assert.equal((await post(endpoint.url, snsBody(sns, "SubscriptionConfirmation"))).status, 200);
    assert.equal(sns.asked.filter((path) => path.includes("ConfirmSubscription")).length, 1);
    const notices = [0, 1, 2].map((n) =>
      snsBody(sns, "Notification", { changes: bounce(n), version: n === 0 ? "1" : "2" }),
    );
    const posted = Array.from({ length: 10 }, (_, n) => notices[(n * 7) % 3] as Buffer);
    const answers = await Promise.all(posted.map((body) => post(endpoint.url, body)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(await countItems(endpoint), 4);
    const { body } = await readEndpoint(endpoint);
    assert.equal(body.topic_arn, TOPIC);
    assert.notEqual(body.last_received_at, null);
    assert.equal(body.last_refused_why, "unconfirmed");
  });

  test("refuses another topic, another host's certificate and what was changed", async () => {
    const endpoint = await makeEndpoint("ses");
    await post(endpoint.url, snsBody(sns, "SubscriptionConfirmation"));
    const other = { TopicArn: TOPIC.replace("bounces", "theirs") };
    const elsewhere = { SigningCertURL: `${sns.url.replace(SNS, "localhost")}/a.pem` };
    const cases: [string, Buffer][] = [
      ["401 other_topic", snsBody(sns, "Notification", { changes: other })],
      ["401 other_topic", snsBody(sns, "SubscriptionConfirmation", { changes: other })],
      ["401 bad_certificate", snsBody(sns, "Notification", { changes: elsewhere })],
      ["401 bad_signature", snsBody(sns, "Notification", { forged: bounce(1) })],
      ["401 unsigned", Buffer.from(bounce(1).Message)],
    ];
    for (const [expected, body] of cases) assert.equal(brief(await post(endpoint.url, body)), expected);
    assert.equal(await countItems(endpoint), 1);
  });

  test("follows no SubscribeURL that leads elsewhere, though it is signed", async () => {
    const endpoint = await makeEndpoint("ses");
    const before = sns.asked.length;
    const urls = [
      "https://127.0.0.1/?Action=ConfirmSubscription",
      "https://169.254.169.254/latest/meta-data",
      `${sns.url.replace(SNS, "localhost")}/?Action=ConfirmSubscription`,
      `http://${SNS}/?Action=ConfirmSubscription`,
      `https://user:pass@${SNS}:${new URL(sns.url).port}/?Action=ConfirmSubscription`,
      "",
    ];
    for (const SubscribeURL of urls) {
      const body = snsBody(sns, "SubscriptionConfirmation", { changes: { SubscribeURL } });
      assert.equal(brief(await post(endpoint.url, body)), "401 bad_subscribe_url", SubscribeURL);
    }
    assert.equal(sns.asked.slice(before).filter((path) => path.includes("Confirm")).length, 0);
    assert.equal((await readEndpoint(endpoint)).body.topic_arn, null);
  });

  test("a host of SNS that leads inside is off limits, unless the operator lists it", async () => {
    const endpoint = await makeEndpoint("ses");
    // This region's name leads to this machine too, and isn't listed.
    const region = (text: string) => text.replace("us-east-1", "eu-west-1");
    const body = snsBody({ ...sns, url: region(sns.url) }, "SubscriptionConfirmation", {
      changes: { TopicArn: region(TOPIC) },
    });
    const before = sns.asked.length;
    assert.equal(brief(await post(endpoint.url, body)), "401 bad_certificate");
    assert.equal(sns.asked.length, before);
  });
});

describe("providers that sign or show something", () => {
  const mailgun = (key: string, n: number, token = `token-${n}`): string => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac("sha256", key).update(`${timestamp}${token}`).digest("hex");
    const event = { id: `e-${n}`, event: "delivered", recipient: `a${n}@example.org` };
    return JSON.stringify({ signature: { timestamp, token, signature }, "event-data": event });
  };

  test("Mailgun's signature is good for one body alone, however often that comes", async () => {
    const endpoint = await makeEndpoint("mailgun", { secret: "the key" });
    const first = mailgun("the key", 1);
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(endpoint.url, first)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const replayed = first.replace("a1@example.org", "victim@example.org");
    assert.equal(brief(await post(endpoint.url, replayed)), "401 replayed");
    const twice = mailgun("the key", 3);
    const bodies = [twice, twice.replace("a3@example.org", "eve@example.org"), mailgun("the key", 4)];
    const together = await Promise.all(bodies.map((body) => post(endpoint.url, body)));
    assert.deepEqual(together.map(({ status }) => status).toSorted(), [200, 200, 401]);
    assert.equal(brief(await post(endpoint.url, mailgun("another key", 2))), "401 bad_signature");
    assert.equal(brief(await post(endpoint.url, "{}")), "401 unsigned");
    assert.equal(await countItems(endpoint), 3);
  });

  test("SendGrid signs with a key of which we have the public half", async () => {
    const { endpoint, signed } = await makeSendgrid();
    const body = '[{"event":"bounce","email":"ada@example.org"}]';
    const headers = signed(body);
    assert.equal((await post(endpoint.url, body, headers)).status, 200);
    assert.equal((await post(endpoint.url, body, headers)).status, 200);
    assert.equal(brief(await post(endpoint.url, body.replace("ada", "eve"), headers)), "401 bad_signature");
    assert.equal(brief(await post(endpoint.url, body)), "401 unsigned");
    assert.equal(await countItems(endpoint), 1);
  });

  test("the others show a secret where one was agreed on, and the URL alone otherwise", async () => {
    const basic = `Basic ${Buffer.from("user:pass").toString("base64")}`;
    const cases: [string, string, Record<string, string>][] = [
      ["postmark", "user:pass", { authorization: basic }],
      ["brevo", "a-token", { authorization: "Bearer a-token" }],
      ["sparkpost", "a-token", { "x-webhook-token": "a-token" }],
    ];
    for (const [provider, secret, headers] of cases) {
      const endpoint = await makeEndpoint(provider, { secret });
      assert.equal((await post(endpoint.url, "[]", headers)).status, 200, provider);
      assert.equal(brief(await post(endpoint.url, "[]")), "401 unsigned");
      assert.equal(brief(await post(endpoint.url, "[]", { "x-webhook-token": "no" })), "401 bad_signature");
      assert.equal((await post((await makeEndpoint(provider)).url, "[]")).status, 200);
    }
  });
});

describe("an address for a provider", () => {
  test("is made with the secret that its provider needs, which never comes out again", async () => {
    const faults: [Json, string][] = [
      [{ provider: "mailgun" }, "required"],
      [{ provider: "sendgrid" }, "required"],
      [{ provider: "sendgrid", secret: "no key" }, "invalid_key"],
      [{ provider: "ses", secret: "any" }, "not_allowed"],
    ];
    for (const [body, code] of faults) {
      const refused = await app.api("POST", "/v1/inbound/endpoints", { body });
      assert.equal(refused.status, 422, refused.text);
      assert.equal(refused.body.errors[0].code, code);
    }
    const endpoint = await makeEndpoint("postmark", { secret: "zqx-secret", name: "Ours" });
    const shown = await readEndpoint(endpoint);
    assert.equal(shown.body.has_secret, true);
    assert.equal(shown.body.url, undefined);
    assert.ok(!shown.text.includes("zqx-secret"));
    const token = endpoint.url.split("/").at(-1) ?? "";
    assert.ok(!app.logs.join("").includes(token), "the token is in no log");
    const stored = await app.db.many<{ row: string }>(sql`select e::text as row from inbound_endpoints e`);
    assert.ok(!JSON.stringify(stored).includes(token));
    assert.ok(!JSON.stringify(stored).includes(Buffer.from("zqx-secret").toString("hex")));
  });

  test("is unknown to whoever has another token, path or method", async () => {
    const endpoint = await makeEndpoint("postmark");
    const { key } = await app.addAccount();
    const theirs = await makeEndpoint("postmark", {}, key);
    const token = endpoint.url.split("/").at(-1) ?? "";
    const mixed = token.slice(0, -6) + (theirs.url.split("/").at(-1) ?? "").slice(-6);
    const paths = [
      `/inbound/brevo/${token}`,
      `/inbound/other/${token}`,
      `/inbound/postmark/${mixed}`,
      `/inbound/postmark/${"x".repeat(token.length)}`,
      `/inbound/postmark/${token}x`,
      `/inbound/postmark/${token}/more`,
      "/inbound/postmark/pri_",
      "/inbound/__proto__/constructor",
    ];
    for (const path of paths) assert.equal((await post(`${app.baseUrl}${path}`, "{}")).status, 404, path);
    const asked = await fetch(`${app.baseUrl}${new URL(endpoint.url).pathname}`);
    await asked.text();
    assert.equal(asked.status, 404);
    assert.equal((await readEndpoint(endpoint, key)).status, 404);
    const rotated = await app.api("POST", `/v1/inbound/endpoints/${endpoint.id}/rotate`, { key });
    assert.equal(rotated.status, 404);
    assert.equal((await post(theirs.url, '{"a":1}')).status, 200);
    assert.equal(await countItems(endpoint), 0);
    assert.equal(await countItems(theirs), 1);
  });

  test("keeps its URL for a day when it gets another, and loses both when it is deleted", async () => {
    const endpoint = await makeEndpoint("brevo", { secret: "one" });
    const path = `/v1/inbound/endpoints/${endpoint.id}`;
    const rotated = await app.api("POST", `${path}/rotate`, { body: { secret: "two" } });
    assert.equal(rotated.status, 200, rotated.text);
    const headers = { authorization: "Bearer two" };
    for (const url of [endpoint.url, rotated.body.url])
      assert.equal((await post(url, '{"event":"delivered"}', headers)).status, 200);
    assert.equal(
      brief(await post(rotated.body.url, "{}", { authorization: "Bearer one" })),
      "401 bad_signature",
    );
    await app.db.execute(sql`
      update inbound_endpoints set previous_until = now() - interval '1 second' where id = ${uuidOf("iep", endpoint.id)}`);
    assert.equal((await post(endpoint.url, "{}", headers)).status, 404);
    assert.equal((await app.api("DELETE", path)).status, 204);
    assert.equal((await post(rotated.body.url, "{}", headers)).status, 404);
    assert.equal((await readEndpoint(endpoint)).status, 404);
  });

  test("takes a body of any kind, up to twenty megabytes", async () => {
    const endpoint = await makeEndpoint("sparkpost");
    const bodies = [
      "",
      "[".repeat(1_000_000),
      `<!DOCTYPE lolz [<!ENTITY a "${"&b;".repeat(1_000)}">]><lolz>&a;</lolz>`,
      "\xff\0\xfe",
    ];
    for (const body of bodies) assert.equal((await post(endpoint.url, body)).status, 200);
    assert.equal((await post(endpoint.url, Buffer.alloc(20 * 1_024 * 1_024 + 1))).status, 413);
    assert.equal(await countItems(endpoint), bodies.length);
  });
});

test("while the database is away, the provider is asked to come again", async () => {
  proxy = await createDatabaseProxy(app.databaseUrl);
  const settings = { DATABASE_URL: proxy.url, ROLES: "public" };
  const away = await createApp({ databaseUrl: app.databaseUrl, settings });
  try {
    const endpoint = await makeEndpoint("postmark");
    const url = `${away.baseUrl}${new URL(endpoint.url).pathname}`;
    const send = async () => {
      const answer = await fetch(url, { method: "POST", body: '{"RecordType":"Delivery"}' });
      await answer.text();
      return answer.status;
    };
    await proxy.cut();
    assert.equal(await send(), 503);
    await proxy.restore();
    await until(async () => (await send()) === 200);
    assert.equal(await countItems(endpoint), 1);
  } finally {
    await away.stop();
    await proxy.close();
  }
});

describe("mail through a provider that we know", () => {
  const IDS = ["Ff9kC1rATWGuVF-0HNCc8w", "Zz9kC1rATWGuVF-0HNCc8w", "Kk9kC1rATWGuVF-0HNCc8w"] as const;
  let server: ScriptedServer;
  before(async () => {
    server = await startScriptedServer({
      dot: IDS.map((id) => `250 Ok: queued as ${id}`),
    });
    const body = {
      name: "SendGrid",
      host: SENDGRID,
      port: server.port,
      tls: "never",
      streams: ["transactional"],
    };
    const made = await app.api("POST", "/v1/transports", { body });
    assert.equal(made.status, 201, made.text);
  });
  after(() => server.close());

  test("names itself by its token, and is found by the id that the provider gave it", async () => {
    const { id } = await sendEmail(app, { subject: "Named" });
    await untilStatus(app, id, "sent");
    const message = String(server.messages[0]);
    const [, api = ""] = /^X-SMTPAPI: (.+)\r\n/.exec(message) ?? [];
    const { unique_args, filters } = JSON.parse(api);
    assert.match(unique_args["return-path"], /^b[0-9a-hjkmnp-tv-z]{62}$/);
    assert.equal(filters.opentrack.settings.enable, 0);
    const accountId = uuidOf("acc", app.accountId);
    const found = await findByProviderId(app.db, accountId, "sendgrid", [IDS[0], "none"]);
    const { source_id: sourceId, contact_id: contactId } = await app.db.one<Json>(sql`
      select source_id, contact_id from deliveries where account_id = ${accountId} and state = 'sent'`);
    assert.deepEqual(found, [{ providerId: IDS[0], sourceId, contactId }]);
    const neighbour = await app.addAccount();
    const count = async (account: string, provider: "ses" | null) =>
      (await findByProviderId(app.db, account, provider, IDS)).length;
    assert.deepEqual(
      [await count(neighbour.accountId, null), await count(accountId, null), await count(accountId, "ses")],
      [0, 1, 0],
    );
  });

  /** Posts an event about a mail, and waits until it is known what was made of it. */
  async function tell(endpoint: Endpoint, event: Json, key = app.key): Promise<Json> {
    const body = JSON.stringify({ event: "hard_bounce", reason: "550 5.1.1 no such user", ...event });
    assert.equal((await post(endpoint.url, body)).status, 200);
    return newestRead(key);
  }

  async function newestRead(key = app.key): Promise<Json> {
    let item: Json = {};
    await until(async () => {
      const { data } = (await app.api("GET", "/v1/inbound?channel=webhook&limit=1", { key })).body;
      item = data[0];
      return item["state"] === "read";
    });
    return item;
  }

  const isSuppressed = async (email: string, key = app.key) =>
    (await app.api("GET", `/v1/suppressions?email=${email}`, { key })).body.data.length > 0;

  test("loses its recipient by an event that names it, from its own account alone", async () => {
    const ours = await makeEndpoint("brevo");
    const { key } = await app.addAccount();
    const theirs = await makeEndpoint("brevo", {}, key);
    const email = "grace@example.com";
    const { id } = await sendEmail(app, { subject: "Told", to: [email] });
    await untilStatus(app, id, "sent");
    const [token = ""] = /b[0-9a-hjkmnp-tv-z]{62}/.exec(String(server.messages.at(-1))) ?? [];
    const event = { email, "X-Mailin-custom": `return-path:${token}` };
    const forged = token.slice(0, -1) + (token.endsWith("0") ? "1" : "0");
    const stranger = await tell(theirs, event, key);
    assert.equal(stranger["matched"], false);
    const changed = await tell(ours, {
      email: "other@example.org",
      "X-Mailin-custom": `return-path:${forged}`,
    });
    assert.equal(changed["matched"], false);
    assert.deepEqual([await isSuppressed(email), await isSuppressed(email, key)], [false, false]);
    const told = await tell(ours, event);
    assert.equal(told["matched"], true);
    const { reports } = (await app.api("GET", `/v1/inbound/${told["id"]}`)).body;
    const [{ email_id, matched_by, class: bounceClass, reason }] = reports;
    assert.deepEqual([email_id, matched_by, bounceClass, reason], [id, "token", "hard", "user_unknown"]);
    assert.equal(await isSuppressed(email), true);
    await tell(ours, { ...event, ts: 1_777_777_777 });
    assert.equal((await app.api("GET", `/v1/suppressions?email=${email}`)).body.data.length, 1);
  });

  test("is found by the id of the 250, where the event has nothing else", async () => {
    const { endpoint, signed } = await makeSendgrid();
    const email = "edith@example.com";
    const { id } = await sendEmail(app, { subject: "By id", to: [email] });
    await untilStatus(app, id, "sent");
    const sg_message_id = `${IDS[2]}.filter0001.16648.5515E0B88.0`;
    const event = { event: "bounce", type: "bounce", email, reason: "550 5.1.1 no such user", sg_message_id };
    const body = JSON.stringify([event]);
    assert.equal((await post(endpoint.url, body, signed(body))).status, 200);
    const { reports } = (await app.api("GET", `/v1/inbound/${(await newestRead())["id"]}`)).body;
    assert.deepEqual([reports[0].email_id, reports[0].matched_by], [id, "provider_id"]);
    assert.equal(await isSuppressed(email), true);
  });
});
