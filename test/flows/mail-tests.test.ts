/** Mail tests, from the request over a relay and the listener to the report. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { formatMailTest, runMailTest } from "../../src/cli/mailtest-command.ts";
import { expireTests } from "../../src/deliverability/mail-tests/store.ts";
import { listEgressAddresses, removeOldEgressAddresses } from "../../src/delivery/delivery.ts";
import { storeInbound } from "../../src/inbound/inbound.ts";
import { loadDkimKey, publicKeyRecord } from "../../src/mail/dkim/dkim.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { toPublicId } from "../../src/platform/ids.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, TEST_SECRET_KEY, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { addDomain } from "../support/domains.ts";
import {
  HAM,
  type HeldMail,
  type PassingRelay,
  passOn,
  startPassingRelay,
  startSpamd,
  type TcpServer,
} from "../support/mail-tests.ts";
import { type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DOMAIN = "bounces.example.net";
/** An address of nobody's in particular: it is only written down and asked for in the test's own DNS. */
const EGRESS = "5.6.7.8";
const MX = "mx.relay.example";

let app: TestApp;
let relay: PassingRelay;
let dns: DnsServer;
let spamd: TcpServer;
let folder: string;
let campaign: string;
let listener: number;
let spamSays: string = HAM;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "postrider-mail-tests-"));
  const file = join(folder, "key.pem");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  writeFileSync(file, pem, { mode: 0o600 });
  const loaded = loadDkimKey({ domain: "example.org", selector: "mail", pem });
  assert.ok(loaded.ok);
  [relay, dns] = await Promise.all([startPassingRelay(), startDnsServer()]);
  spamd = await startSpamd((request) => {
    assert.match(request.toString("latin1"), /^REPORT SPAMC\/1\.\d\r\nContent-length: \d+\r\n\r\n/);
    return spamSays;
  });
  publish(publicKeyRecord(loaded.key));
  app = await createApp({
    settings: {
      INBOUND_DOMAIN: DOMAIN,
      INBOUND_PORT: "0",
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      DNS_SERVERS: dns.address,
      DKIM_KEYS: `example.org:mail:${file}`,
      PUBLIC_URL: "https://mail.example.org",
      SPAMD: `127.0.0.1:${spamd.port}`,
    },
    served: WITH_UNSUBSCRIBE,
  });
  const line = app.logs.find((one) => one.includes("takes bounces by SMTP"));
  listener = JSON.parse(line ?? assert.fail("no listener")).port;
  const list = await makeList(app);
  await app.api("PATCH", `/v1/lists/${list}`, { body: { postal_address: "1 High Street, London" } });
  const html =
    "<p>Hello {{ first_name }}, here is the news.</p><p><a href='https://postrider.email/a'>More of it</a></p>";
  campaign = (await makeCampaign(app, list, { from_email: "news@example.org", html })).id;
});
after(async () => {
  await app.stop();
  await Promise.all([relay.close(), dns.close(), spamd.close()]);
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  relay.passTo = undefined;
  relay.change = (mail) => mail;
  spamSays = HAM;
  for (const name of [DOMAIN, MX, "mail._domainkey.example.org"]) dns.misbehave(name, null);
  await app.db.execute(sql`delete from mail_tests`);
});

function publish(key: string): void {
  dns.set("mail._domainkey.example.org", "TXT", [key]);
  dns.set("_dmarc.example.org", "TXT", ["v=DMARC1; p=reject"]);
  dns.set(DOMAIN, "TXT", [`v=spf1 ip4:${EGRESS} -all`]);
  dns.set(DOMAIN, "MX", [{ exchange: "mx2.example.net", preference: 10 }]);
  dns.set("mx2.example.net", "A", ["9.8.7.6"]);
  dns.set("8.7.6.5.in-addr.arpa", "PTR", [MX]);
  dns.set(MX, "A", [EGRESS]);
}

async function begin(): Promise<Json> {
  const begun = await app.api("POST", "/v1/deliverability/tests", { body: { campaign_id: campaign } });
  assert.equal(begun.status, 202, begun.text);
  return begun.body;
}

const read = async (id: unknown): Promise<Json> =>
  (await app.api("GET", `/v1/deliverability/tests/${id}`)).body;

async function untilOver(id: unknown): Promise<Json> {
  let found: Json = {};
  await until(async () => {
    found = await read(id);
    return found["status"] !== "waiting";
  });
  return found;
}

/** Waits for the mail of a test at the relay, which holds it. */
async function heldFor({ address }: Json): Promise<HeldMail> {
  await until(() => relay.held.some(({ to }) => to === address));
  return relay.held.find(({ to }) => to === address) ?? assert.fail("the relay has it");
}

/** Stores a mail as the listener does, as if it had come from this address. */
async function arrive(test: Json, mail: HeldMail, session: { ip: string; helo: string; tls: string | null }) {
  const item = {
    accountId: uuidOf("acc", app.accountId),
    channel: "smtp",
    channelId: null,
    provider: null,
    envelopeFrom: mail.from,
    addressed: { kind: "mail_test", testId: uuidOf("mtt", String(test["id"])) },
    raw: mail.raw,
    session,
  } as const;
  const tools = { secrets: createSecrets([TEST_SECRET_KEY]), clock: systemClock };
  const [id] = await app.db.transaction((tx) => storeInbound(tx, tools, [item]));
  assert.ok(id);
  return id;
}

const PUBLIC = { ip: EGRESS, helo: MX, tls: "TLSv1.3" };
const verdictsOf = ({ report }: Json): Record<string, string> =>
  Object.fromEntries(
    (report as { groups: { items: { key: string; status: string }[] }[] }).groups.flatMap(({ items }) =>
      items.map(({ key, status }) => [key, status]),
    ),
  );
const itemOf = ({ report }: Json, key: string): { evidence: string; remedy: string | null; title: string } =>
  (report as { groups: { items: ({ key: string } & ReturnType<typeof itemOf>)[] }[] }).groups
    .flatMap(({ items }) => items)
    .find((one) => one.key === key) ?? assert.fail(`no item ${key}`);
const egress = () => listEgressAddresses(app.db, uuidOf("acc", app.accountId));

test("a campaign goes over the real relay to the listener and is reported on, whatever case its address comes in", async () => {
  relay.passTo = listener;
  relay.change = (mail) => ({ ...mail, to: mail.to.toUpperCase() });
  const begun = await begin();
  assert.match(String(begun["address"]), /^test\+[\da-z]{52}@bounces\.example\.net$/);
  assert.deepEqual([begun["status"], begun["report"]], ["waiting", null]);
  const over = await untilOver(begun["id"]);
  assert.deepEqual([over["status"], over["address"], over["failure"]], ["done", null, null]);
  const verdicts = verdictsOf(over);
  assert.deepEqual(
    { dkim: verdicts["dkim"], dmarc: verdicts["dmarc"], signed: verdicts["one_click_signed"] },
    { dkim: "pass", dmarc: "pass", signed: "pass" },
    JSON.stringify(over["report"]),
  );
  assert.deepEqual([verdicts["list_unsubscribe"], verdicts["one_click"]], ["pass", "pass"]);
  // A relay on this machine says nothing of the address that the world sees.
  assert.deepEqual(
    [verdicts["ptr"], verdicts["spf"], verdicts["blocklists"]],
    ["unknown", "unknown", "unknown"],
  );
  assert.match(itemOf(over, "spf").evidence, /127\.0\.0\.1.*within this network/s);
  assert.deepEqual(await egress(), []);
  assert.equal(verdicts["spamassassin"], "pass");
  assert.match(itemOf(over, "spamassassin").evidence, /0\.5 points; spam begins at 5\.\n\+0\.7 HTML_SHORT/);
  const { score, deductions } = over["report"] as { score: number; deductions: { points: number }[] };
  const off = deductions.reduce((sum, { points }) => sum + points, 0);
  assert.equal(score, Math.round((10 - off) * 10) / 10);

  const [mail] = relay.held.slice(-1);
  assert.equal(mail?.from, String(begun["address"]));
  const header = mail?.raw.toString("latin1").replaceAll(/\r\n[ \t]+/g, " ") ?? "";
  assert.match(header, /^List-Unsubscribe: <https:\/\/mail\.example\.org\/[^>]+>, <mailto:t[\da-f]{62}@/m);
  const [item] = (await app.api("GET", "/v1/inbound?kind=mail_test")).body.data;
  assert.deepEqual([item.outcome, item.matched, item.state], ["tested", null, "read"]);
  assert.match(await passOn(listener, mail as HeldMail), /^550/);
  const page = await app.api("GET", `/v1/deliverability/tests?campaign_id=${campaign}`);
  assert.deepEqual(
    page.body.data.map((one: Json) => [one["id"], one["score"], "report" in one]),
    [[begun["id"], score, false]],
  );
});

test("the command line begins a test, tells how far it is, and prints the report", async () => {
  relay.passTo = listener;
  const told: string[] = [];
  const asking = { localUrl: app.baseUrl, key: app.key, tell: (line: string) => told.push(line) };
  const printed = formatMailTest(await runMailTest(asking, campaign));
  assert.match(told[0] ?? "", /^(Sending it|.* has taken it|It has come)/);
  assert.match(printed, /^[\d.]+ of 10.*\n {2}ok {3}A DKIM signature is valid\n/s);
  await assert.rejects(runMailTest(asking, "cmp_00000000000000000000000000"), /no such campaign/);
});

test("the command runs as a program of its own, against the service that is running", async () => {
  relay.passTo = listener;
  const { hostname, port } = new URL(app.baseUrl);
  const env = {
    ...process.env,
    DATABASE_URL: app.databaseUrl,
    SECRET_KEY: TEST_SECRET_KEY,
    DATA_DIR: app.dataDir,
    HOST: hostname,
    PORT: port,
  };
  const run = (...words: readonly string[]) =>
    promisify(execFile)(process.execPath, ["src/cli/cli.ts", "mailtest", ...words], { env }).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  const { code, stdout, stderr } = await run(campaign);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^[\d.]+ of 10.*\n {2}ok {3}A DKIM signature is valid\n/s);
  const none = await run();
  assert.notEqual(none.code, 0);
  assert.match(none.stderr, /needs the id of a campaign/);
});

test("what headers tell of the way, and of who has judged it, counts for nothing", async () => {
  const begun = await begin();
  const mail = await heldFor(begun);
  const forged = [
    `Received: from ${MX} (${MX} [${EGRESS}]) by ${DOMAIN} with ESMTPS (TLS1.3)`,
    `Authentication-Results: ${DOMAIN}; spf=pass smtp.mailfrom=example.org; dkim=pass header.d=example.org; dmarc=pass`,
    `Received-SPF: pass (${DOMAIN}: ${EGRESS} is authorized)`,
    `ARC-Authentication-Results: i=1; ${DOMAIN}; dmarc=pass`,
    `X-Originating-IP: [${EGRESS}]`,
    "X-Spam-Status: No",
  ].join("\r\n");
  const broken = mail.raw.toString("latin1").replace("the news", "the olds");
  const raw = Buffer.from(`${forged}\r\n${broken}`, "latin1");
  const session = { ip: "5.6.7.9", helo: "evil.example", tls: null };
  await arrive(begun, { ...mail, raw }, session);
  const over = await untilOver(begun["id"]);
  const verdicts = verdictsOf(over);
  for (const key of ["spf", "dkim", "dmarc", "ptr", "one_click_signed"])
    assert.equal(verdicts[key], "fail", `${key}: ${JSON.stringify(over["report"])}`);
  const { ip, helo, tls } = over["report"] as Json;
  assert.deepEqual({ ip, helo, tls }, session);
  await app.db.execute(sql`delete from transport_addresses where address = '5.6.7.9'`);
});

test("mail from the world is judged by its address, which is then known as the transport's", async () => {
  const begun = await begin();
  await arrive(begun, await heldFor(begun), PUBLIC);
  const over = await untilOver(begun["id"]);
  const { blocklists, ...asked } = verdictsOf(over);
  assert.deepEqual(
    // Whether PUBLIC_URL was tried by now is a matter of chance.
    Object.entries(asked).filter(
      ([key, status]) => status !== "pass" && !key.startsWith("content.public_url"),
    ),
    [],
    JSON.stringify(over["report"]),
  );
  assert.equal(blocklists, "unknown");
  assert.equal((over["report"] as Json)["is_egress_known"], true);
  const [seen, ...more] = await egress();
  assert.deepEqual([seen?.address, seen?.helo, seen?.transportId, more.length], [EGRESS, MX, null, 0]);
});

test("what is wrong is said with what to do, and taken off the score", async () => {
  const begun = await begin();
  const mail = await heldFor(begun);
  const raw = Buffer.from(
    mail.raw
      .toString("latin1")
      .replace(/^List-Unsubscribe-Post: .*\r\n/m, "")
      .replace("the news", "the olds"),
    "latin1",
  );
  spamSays = HAM.replace("False ; 0.5", "True ; 7.5");
  await arrive(begun, { ...mail, raw }, { ip: "5.6.7.9", helo: "localhost", tls: null });
  const over = await untilOver(begun["id"]);
  const verdicts = verdictsOf(over);
  for (const key of ["spf", "dkim", "dmarc", "ptr", "one_click", "one_click_signed", "spamassassin"]) {
    assert.equal(verdicts[key], "fail", `${key}: ${JSON.stringify(over["report"])}`);
    assert.ok(itemOf(over, key).remedy, key);
  }
  assert.equal(verdicts["helo"], "warn");
  assert.equal(over["score"], 0);
  assert.ok((await egress()).some(({ address }) => address === "5.6.7.9"));
});

test("a resolver and a spam filter that fail change nothing but to unknown", async () => {
  const begun = await begin();
  for (const name of ["mail._domainkey.example.org", "_dmarc.example.org", DOMAIN])
    dns.misbehave(name, "servfail");
  dns.misbehave("8.7.6.5.in-addr.arpa", "refused");
  spamSays = "HTTP/1.1 200 OK\r\n\r\n";
  await arrive(begun, await heldFor(begun), PUBLIC);
  const verdicts = verdictsOf(await untilOver(begun["id"]));
  for (const key of ["dkim", "dmarc", "spf", "ptr", "one_click_signed", "spamassassin"])
    assert.equal(verdicts[key], "unknown", key);
  dns.misbehave("_dmarc.example.org", null);
  dns.misbehave("8.7.6.5.in-addr.arpa", null);
});

test("mail that another exchange of the domain passed on teaches no address", async () => {
  const begun = await begin();
  await arrive(begun, await heldFor(begun), { ...PUBLIC, ip: "9.8.7.6" });
  const over = await untilOver(begun["id"]);
  assert.equal(verdictsOf(over)["spf"], "unknown");
  assert.match(itemOf(over, "spf").evidence, /mx2\.example\.net/);
  assert.ok(!(await egress()).some(({ address }) => address === "9.8.7.6"));
});

test("an address from which no mail left for 90 days counts no more, and is deleted", async () => {
  const accountId = uuidOf("acc", app.accountId);
  const see = (address: string, days: number) =>
    app.db.execute(sql`
      insert into transport_addresses (account_id, transport_id, address, helo, first_seen_at, last_seen_at)
      values (${accountId}, null, ${address}, ${MX}, now() - interval '1 year', now() - make_interval(days => ${days}))`);
  await see("5.5.5.1", 89);
  await see("5.5.5.2", 91);
  const known = async () => (await egress()).map(({ address }) => address);
  assert.ok((await known()).includes("5.5.5.1"));
  assert.ok(!(await known()).includes("5.5.5.2"));
  await removeOldEgressAddresses(app.db);
  const left = await app.db.many<{ address: string }>(
    sql`select address from transport_addresses where account_id = ${accountId} and address like '5.5.5.%'`,
  );
  assert.deepEqual(left, [{ address: "5.5.5.1" }]);
});

test("a test leaves from the domain's return path, by which SPF is aligned, and its bounce comes back there", async () => {
  const accountId = uuidOf("acc", app.accountId);
  const host = "bounce.example.org";
  await addDomain(app.db, accountId, { name: "example.org", return_path: host, return_path_ok: true });
  dns.set(host, "TXT", [`v=spf1 ip4:${EGRESS} -all`]);
  let begun: Json = {};
  let mail: HeldMail | undefined;
  // Whoever composes knows of a domain within a second.
  await until(async () => {
    begun = await begin();
    mail = await heldFor(begun);
    return mail.from.endsWith(`@${host}`);
  });
  const held = mail as HeldMail;
  assert.equal(held.from, String(begun["address"]).replace(DOMAIN, host));
  await arrive(begun, held, PUBLIC);
  const over = await untilOver(begun["id"]);
  assert.equal(verdictsOf(over)["spf"], "pass");
  assert.match(JSON.stringify(over["report"]), /bounce\.example\.org/);

  const other = await begin();
  const { from, raw } = await heldFor(other);
  const stranger = from.replace(host, "bounce.elsewhere.example");
  assert.match(await passOn(listener, { from: "", to: stranger, raw }), /^550/);
  assert.match(await passOn(listener, { from: "", to: from, raw }), /^250/);
  const failed = await untilOver(other["id"]);
  assert.match(String(failed["failure"]), /came back as a bounce/);
  await app.db.execute(sql`delete from domains where account_id = ${accountId}`);
});

describe("whoever only knows the address", () => {
  const FORGED =
    "From: news@example.org\r\nTo: x\r\nMessage-ID: <test.00000000000000000000000000000000@example.org>\r\n" +
    `List-Unsubscribe: <mailto:t${"0".repeat(62)}@x>\r\nX-Postrider: yes\r\n\r\nHello\r\n`;
  const STRANGERS = {
    "nothing at all": "\r\n",
    "no headers": "just a text\r\n",
    "forged marks": FORGED,
    "parts within parts": `Content-Type: multipart/mixed; boundary=b\r\n\r\n${"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n".repeat(3_000)}\r\n`,
    "a thousand signatures": `${"DKIM-Signature: v=1; a=rsa-sha256; d=example.org; s=mail; h=from; bh=x; b=x\r\n".repeat(1_000)}\r\nHello\r\n`,
  };
  test("ends no test and teaches no address, and the mail itself still does", async () => {
    const begun = await begin();
    const to = String(begun["address"]);
    for (const [name, text] of Object.entries(STRANGERS))
      assert.match(
        await passOn(listener, { from: "evil@example.com", to, raw: Buffer.from(text) }),
        /^250/,
        name,
      );
    const forged = { from: "evil@example.com", to, raw: Buffer.from(`X-Again: 1\r\n${FORGED}`) };
    await arrive(begun, forged, { ...PUBLIC, ip: "6.6.6.6" });
    await until(async () => {
      const { body } = await app.api("GET", "/v1/inbound?kind=mail_test&outcome=ignored&limit=200");
      return body.data.length >= Object.keys(STRANGERS).length + 1;
    });
    assert.equal((await read(begun["id"]))["status"], "waiting");
    const mail = await heldFor(begun);
    const again = { ...mail, raw: Buffer.concat([Buffer.from("Received: by another way\r\n"), mail.raw]) };
    await Promise.all([arrive(begun, mail, PUBLIC), passOn(listener, again)]);
    assert.equal((await untilOver(begun["id"]))["status"], "done");
    assert.ok(!(await egress()).some(({ address }) => address === "6.6.6.6"));
  });

  test("gets 50 MB refused, and the test goes on", async () => {
    const begun = await begin();
    const raw = Buffer.from(`Subject: x\r\n\r\n${`${"x".repeat(76)}\r\n`.repeat(700_000)}`);
    assert.match(await passOn(listener, { from: "", to: String(begun["address"]), raw }), /^5\d\d|^null/);
    assert.equal((await read(begun["id"]))["status"], "waiting");
  });

  test("of another account is told that there is no such test", async () => {
    const begun = await begin();
    const other = await app.addAccount();
    const characters = toPublicId("acc", other.accountId).slice("acc_".length);
    const ofTest = String(begun["id"]).slice("mtt_".length);
    const wrong = { from: "", to: `test+${characters}${ofTest}@${DOMAIN}`, raw: Buffer.from("\r\n") };
    assert.match(await passOn(listener, wrong), /^550/);
    const asked = await app.api("GET", `/v1/deliverability/tests/${begun["id"]}`, { key: other.key });
    assert.equal(asked.status, 404);
    const taken = await app.api("POST", "/v1/deliverability/tests", {
      key: other.key,
      body: { campaign_id: campaign },
    });
    assert.deepEqual([taken.status, taken.body.errors?.[0]?.code], [422, "not_found"]);
  });
});

test("a mail that comes back as a bounce ends the test", async () => {
  const begun = await begin();
  const mail = await heldFor(begun);
  const bounce = `Subject: Undelivered\r\n\r\nIt was refused.\r\n\r\n${mail.raw.toString("latin1")}`;
  assert.match(
    await passOn(listener, { from: "", to: mail.from, raw: Buffer.from(bounce, "latin1") }),
    /^250/,
  );
  const over = await untilOver(begun["id"]);
  assert.equal(over["status"], "failed");
  assert.match(String(over["failure"]), /bounce/);
});

test("a mail that never comes ends the test after its time, and its address is closed", async () => {
  const begun = await begin();
  const mail = await heldFor(begun);
  await until(async () => (await read(begun["id"]))["sent_at"] !== null);
  const later = new Date(Date.now() + 16 * 60_000);
  await expireTests(app.db, later);
  const over = await read(begun["id"]);
  assert.equal(over["status"], "expired");
  assert.match(String(over["failure"]), /never came here.*MX record/);
  assert.match(await passOn(listener, mail), /^550/);
});

test("a test is begun once for each idempotency key, and 30 times within an hour", async () => {
  const headers = { "idempotency-key": "one-and-the-same" };
  const body = { campaign_id: campaign };
  const [one, same] = [
    await app.api("POST", "/v1/deliverability/tests", { headers, body }),
    await app.api("POST", "/v1/deliverability/tests", { headers, body }),
  ];
  assert.deepEqual([one.status, same.status, same.body.id], [202, 202, one.body.id]);
  await heldFor(one.body);
  assert.equal(relay.held.filter(({ to }) => to === one.body.address).length, 1);
  await app.db.execute(sql`
    insert into mail_tests (account_id, id, status, campaign_id, campaign_name, subject, from_address, transport_name, proofs,
                            checks, created_at, expires_at)
    select account_id, gen_random_uuid(), 'expired', campaign_id, '', '', '', '', '{}', '[]', created_at, created_at
    from mail_tests, generate_series(1, 29)`);
  const refused = await app.api("POST", "/v1/deliverability/tests", { body });
  assert.deepEqual([refused.status, refused.body.code], [429, "too_many_mail_tests"]);
  assert.ok(refused.headers.get("retry-after"));
});

describe("an instance that can't test", () => {
  test("says that no mail comes in, and that the sandbox lets nothing out", async () => {
    const cases = [
      [{}, "inbound_not_set"],
      [{ INBOUND_DOMAIN: DOMAIN, INBOUND_PORT: "0" }, "mail_test_sandbox"],
    ] as const;
    for (const [settings, code] of cases) {
      const bare = await createApp({ settings });
      try {
        const { id } = await makeCampaign(bare, await makeList(bare));
        const asked = await bare.api("POST", "/v1/deliverability/tests", { body: { campaign_id: id } });
        assert.deepEqual([asked.status, asked.body.code], [409, code]);
      } finally {
        await bare.stop();
      }
    }
  });

  test("tells what a server said that would not take the mail", async () => {
    const refusing = await startPassingRelay({
      onMailFrom: (_address: unknown, _session: unknown, done: (error: Error) => void) =>
        done(Object.assign(new Error("5.7.1 not from you"), { responseCode: 550 })),
    });
    const settings = {
      INBOUND_DOMAIN: DOMAIN,
      INBOUND_PORT: "0",
      SMTP_URL: `smtp://127.0.0.1:${refusing.port}`,
    };
    const other = await createApp({ settings, served: WITH_UNSUBSCRIBE });
    try {
      const { id } = await makeCampaign(other, await makeList(other), { from_email: "news@example.org" });
      const begun = await other.api("POST", "/v1/deliverability/tests", { body: { campaign_id: id } });
      assert.equal(begun.status, 202, begun.text);
      let over: Json = {};
      await until(async () => {
        over = (await other.api("GET", `/v1/deliverability/tests/${begun.body.id}`)).body;
        return over["status"] !== "waiting";
      });
      assert.equal(over["status"], "failed");
      assert.match(String(over["failure"]), /would not take it: 550 .*not from you/);
    } finally {
      await other.stop();
      await refusing.close();
    }
  });
});
