/** DMARC reports from an upload or a mail to the page that says who sends in an account's name. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { dmarcAddressOf } from "../../src/accounts/accounts.ts";
import { removeOldReports } from "../../src/deliverability/deliverability.ts";
import { mailWith } from "../../src/mail/dmarc-reports/reports.fixture.ts";
import { sql } from "../../src/platform/db/db.ts";
import { fromPublicId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { found, numbersBy, ownDomain, recentReport, startOfDay, uploadReport } from "../support/dmarc.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { connectRaw } from "../support/smtp/raw-client.ts";

const INBOUND_DOMAIN = "in.example.net";
const OWN_IP = "198.51.100.7";
const GOOGLE_IP = "198.51.100.20";
const LIAR_IP = "198.51.100.30";
const UNKNOWN_IP = "2001:db8::30";

let app: TestApp;
let dns: DnsServer;
let accountId: string;

before(async () => {
  dns = await startDnsServer();
  dns.set("20.100.51.198.in-addr.arpa", "PTR", ["mail-1.google.com"]);
  dns.set("mail-1.google.com", "A", [GOOGLE_IP]);
  // Whoever has this address says that it is Google's, and Google doesn't say so.
  dns.set("30.100.51.198.in-addr.arpa", "PTR", ["mail-2.google.com"]);
  dns.set("mail-2.google.com", "A", [GOOGLE_IP]);
  app = await createApp({
    settings: { DNS_SERVERS: dns.address, INBOUND_DOMAIN, INBOUND_PORT: "0" },
  });
  accountId = fromPublicId("acc", app.accountId) ?? "";
});
after(async () => {
  await app.stop();
  await dns.close();
});

async function sumsOf(domainId: string) {
  const groupings = ["source", "reporter", "day", "selector"];
  const all = await Promise.all(groupings.map((one) => numbersBy(app, one, `&domain_id=${domainId}`)));
  const add = (rows: { messages: number; aligned: number }[]) => [
    rows.reduce((sum, { messages }) => sum + messages, 0),
    rows.reduce((sum, { aligned }) => sum + aligned, 0),
  ];
  return all.map(({ totals, data }) => ({ told: [totals.messages, totals.aligned], added: add(data) }));
}

describe("an upload", () => {
  test("is answered with what was read, and counted in every grouping alike", async () => {
    const domainId = await ownDomain(app, "acme.example");
    const records = [
      { ip: OWN_IP, count: 100 },
      { ip: GOOGLE_IP, count: 20, spf: "pass", signatures: [["acme.example", "google"]] },
      { ip: UNKNOWN_IP, count: 7, dkim: "fail", disposition: "reject", signatures: [] },
      { ip: UNKNOWN_IP, count: 3, dkim: "fail", disposition: "quarantine", headerFrom: "news.acme.example" },
    ] as const;
    const first = await uploadReport(app, gzipSync(recentReport({ records })));
    assert.equal(first.status, 201, first.text);
    const [{ report, is_new }] = first.body.data;
    assert.deepEqual(
      [is_new, report.domain_id, report.reporter, report.messages, report.aligned, report.channel],
      [true, domainId, "receiver.example", 130, 120, "upload"],
    );
    const second = await uploadReport(
      app,
      recentReport({ org: "other.example", daysAgo: 2, records: [{ ip: OWN_IP, count: 50 }] }),
    );
    assert.equal(second.status, 201, second.text);
    for (const { told, added } of await sumsOf(domainId))
      assert.deepEqual(
        [told, added],
        [
          [180, 170],
          [180, 170],
        ],
      );
    const { totals, data } = await numbersBy(app, "day", `&domain_id=${domainId}`);
    assert.deepEqual(
      [
        totals.reports,
        totals.rejected,
        totals.quarantined,
        totals.none,
        totals.dkim_aligned,
        totals.spf_aligned,
      ],
      [2, 7, 3, 170, 170, 20],
    );
    const day = (ago: number) => new Date(startOfDay(ago) * 1_000).toISOString().slice(0, 10);
    assert.deepEqual(
      data.map(({ key, messages }: { key: string; messages: number }) => [key, messages]),
      [
        [day(2), 50],
        [day(1), 130],
      ],
    );
    const one = await numbersBy(app, "reporter", `&domain_id=${domainId}&source_ip=${OWN_IP}`);
    assert.deepEqual(
      one.data.map(({ key, messages, aligned }: Record<string, unknown>) => [key, messages, aligned]),
      [
        ["receiver.example", 100, 100],
        ["other.example", 50, 50],
      ],
    );
  });

  test("that came before counts once, also fifty times at once", async () => {
    const domainId = await ownDomain(app, "copies.example");
    const file = recentReport({
      domain: "copies.example",
      records: [{ count: 9, headerFrom: "copies.example" }],
    });
    const replies = await Promise.all(Array.from({ length: 50 }, () => retryWhenBusy(file)));
    assert.deepEqual(
      [
        replies.filter(({ status }) => status === 201).length,
        replies.filter(({ status }) => status === 200).length,
      ],
      [1, 49],
    );
    const { totals } = await numbersBy(app, "source", `&domain_id=${domainId}`);
    assert.deepEqual([totals.messages, totals.reports], [9, 1]);
  });

  test("about a domain of somebody else is refused, whatever its rows say", async () => {
    const reply = await uploadReport(app, recentReport({ domain: "foreign.example" }));
    assert.deepEqual(
      [reply.status, reply.body.code, reply.body.domain],
      [422, "foreign_domain", "foreign.example"],
    );
  });

  test("keeps of a report on the domain above only what is of the subdomain", async () => {
    const domainId = await ownDomain(app, "news.parent.example");
    const records = [
      { count: 4, headerFrom: "news.parent.example" },
      { count: 90, headerFrom: "parent.example" },
    ];
    const reply = await uploadReport(app, recentReport({ domain: "parent.example", records }));
    assert.equal(reply.status, 201, reply.text);
    const [{ report }] = reply.body.data;
    assert.deepEqual([report.messages, report.records_left_out, report.domain_id], [4, 1, domainId]);
  });

  test("keeps nothing of rows about a From of somebody else, whatever the policy is of", async () => {
    const domainId = await ownDomain(app, "mine.example");
    const records = [
      { count: 4, headerFrom: "mine.example" },
      { count: 70, headerFrom: "victim.example" },
      { count: 80, headerFrom: "notmine.example" },
    ];
    const reply = await uploadReport(app, recentReport({ domain: "mine.example", records }));
    assert.equal(reply.status, 201, reply.text);
    const [{ report }] = reply.body.data;
    assert.deepEqual([report.messages, report.records_left_out], [4, 2]);
    const { totals } = await numbersBy(app, "source", `&domain_id=${domainId}`);
    assert.equal(totals.messages, 4);
  });

  test("is refused by name when it is no report, and when it is too old", async () => {
    await ownDomain(app, "old.example");
    const none = await uploadReport(app, "<html></html>");
    assert.deepEqual(
      [none.status, none.body.code, none.body.reason],
      [422, "invalid_report", "not_a_report"],
    );
    const old = await uploadReport(app, recentReport({ domain: "old.example", daysAgo: 500 }));
    assert.deepEqual([old.status, old.body.code], [422, "report_too_old"]);
  });

  test("of another account stays with that account", async () => {
    const other = await app.addAccount();
    await ownDomain(app, "theirs.example", other.accountId);
    const file = recentReport({ domain: "theirs.example", reportId: "theirs" });
    assert.equal((await uploadReport(app, file)).body.code, "foreign_domain");
    assert.equal((await uploadReport(app, file, other.key)).status, 201);
    const mine = await app.api("GET", "/v1/deliverability/reports?limit=200");
    assert.ok(
      mine.body.data.every(({ policy_domain }: Record<string, string>) => policy_domain !== "theirs.example"),
    );
    const theirs = await app.api("GET", "/v1/deliverability/reports", { key: other.key });
    assert.deepEqual(
      theirs.body.data.map(({ report_id }: Record<string, string>) => report_id),
      ["theirs"],
    );
  });
});

/** No more than some are taken at a time, and the others are told to come again. */
async function retryWhenBusy(file: string) {
  return found(async () => {
    const reply = await uploadReport(app, file);
    return reply.status === 503 ? undefined : reply;
  });
}

test("sources add up to the same as days do, over whatever range of days", async () => {
  const domainId = await ownDomain(app, "spans.example");
  const dayOf = (ago: number) => new Date(startOfDay(ago) * 1_000).toISOString().slice(0, 10);
  const told = [1, 2, 9, 10, 11, 21, 30, 31, 45, 59, 75, 95, 130, 180, 250, 300, 365, 390];
  for (const [nth, daysAgo] of told.entries()) {
    const records = [{ ip: UNKNOWN_IP, count: 2 ** nth, dkim: nth % 2 === 0 ? "fail" : "pass" } as const];
    const file = recentReport({ domain: "spans.example", reportId: `spans ${daysAgo}`, daysAgo, records });
    assert.equal((await uploadReport(app, file)).status, 201);
  }
  for (const [from, to] of [
    [390, 0],
    [391, 1],
    [365, 2],
    [300, 11],
    [200, 10],
    [95, 45],
    [59, 30],
    [31, 21],
    [9, 9],
    [8, 3],
  ] as const) {
    const where = `&domain_id=${domainId}&from=${dayOf(from)}&to=${dayOf(to)}`;
    const { data } = await numbersBy(app, "source", where);
    const within = told.filter((ago) => ago <= from && ago >= to);
    const sum = (some: readonly number[]) => some.reduce((all, ago) => all + 2 ** told.indexOf(ago), 0);
    const [newest] = within;
    assert.deepEqual(
      data.map((one: Record<string, unknown>) => [
        one["messages"],
        one["aligned"],
        one["none"],
        one["last_day"],
      ]),
      newest === undefined
        ? []
        : [
            [
              sum(within),
              sum(within.filter((ago) => told.indexOf(ago) % 2 === 1)),
              sum(within),
              dayOf(newest),
            ],
          ],
      `${from} to ${to} days ago`,
    );
  }
});

test("sources are named by the account's own addresses and by names that lead back, the unknown first", async () => {
  const domainId = await ownDomain(app, "named.example");
  await app.db.execute(sql`
    insert into transport_addresses (account_id, transport_id, address, helo, first_seen_at, last_seen_at)
    values (${accountId}, null, ${OWN_IP}, 'mx.example', now(), now())`);
  const records = [OWN_IP, GOOGLE_IP, LIAR_IP].map((ip, n) => ({
    ip,
    count: 10 + n,
    headerFrom: "named.example",
  }));
  await uploadReport(app, recentReport({ domain: "named.example", records }));
  const named = await found(async () => {
    const { data } = await numbersBy(app, "source", `&domain_id=${domainId}`);
    return data.some(({ kind }: Record<string, unknown>) => kind === "known_service") ? data : undefined;
  });
  assert.deepEqual(
    named.map(({ kind, key, name, addresses, source_ips }: Record<string, unknown>) => [
      kind,
      key,
      name,
      addresses,
      source_ips,
    ]),
    [
      ["unknown", LIAR_IP, LIAR_IP, 1, [LIAR_IP]],
      ["known_service", "google_workspace", "Google Workspace", 1, [GOOGLE_IP]],
      ["own_transport", "own_transport", "Your transport", 1, [OWN_IP]],
    ],
  );
});

test("alerts tell of a new unknown source and of own mail that fails", async () => {
  const domainId = await ownDomain(app, "alerted.example");
  const headerFrom = "alerted.example";
  const records = [
    { ip: OWN_IP, count: 40, dkim: "fail", headerFrom },
    { ip: LIAR_IP, count: 500, dkim: "fail", headerFrom },
  ] as const;
  await uploadReport(app, recentReport({ domain: headerFrom, records }));
  const alerts = await found(async () => {
    const { body } = await app.api("GET", "/v1/deliverability/alerts?status=open");
    const ours = body.data.filter(
      ({ data }: { data: { domain_id?: string } }) => data.domain_id === domainId,
    );
    return ours.length === 2 ? ours : undefined;
  });
  assert.deepEqual(alerts.map(({ kind, severity }: Record<string, string>) => [kind, severity]).sort(), [
    ["dmarc_failing", "critical"],
    ["dmarc_unknown_source", "warning"],
  ]);
});

describe("a mail to the account's own address", () => {
  const port = () => {
    const line = app.logs.find((one) => one.includes("takes bounces by SMTP"));
    return JSON.parse(line ?? assert.fail("no listener")).port as number;
  };

  async function mail(raw: Buffer): Promise<Record<string, string>> {
    const before = (await app.api("GET", "/v1/inbound?limit=200")).body.data.length;
    const client = await connectRaw(port());
    await client.reply();
    for (const line of [
      "EHLO mx.receiver.example",
      "MAIL FROM:<noreply@receiver.example>",
      `RCPT TO:<${dmarcAddressOf(accountId, INBOUND_DOMAIN)}>`,
      "DATA",
    ])
      await client.ask(line);
    const answer = await client.ask(`${raw.toString("latin1")}\r\n.`);
    assert.match(String(answer), /250/);
    client.end();
    return found(async () => {
      const { body } = await app.api("GET", "/v1/inbound?limit=200");
      const [newest] = body.data;
      return body.data.length > before && newest.state === "read" ? newest : undefined;
    });
  }

  test("is counted, and who sent it is kept", async () => {
    await ownDomain(app, "mailed.example");
    const file = gzipSync(recentReport({ domain: "mailed.example" }));
    const item = await mail(mailWith(file, "application/gzip", "dmarc@Reports.Receiver.example"));
    assert.equal(item["outcome"], "counted", String(item["why"]));
    const { body } = await app.api("GET", "/v1/deliverability/reports?limit=200");
    const kept = body.data.find(
      ({ policy_domain }: Record<string, string>) => policy_domain === "mailed.example",
    );
    assert.deepEqual(
      [kept.channel, kept.sender_domain, kept.messages],
      ["mail", "reports.receiver.example", 5],
    );
    const again = mailWith(file, "application/gzip", "other@receiver.example");
    assert.equal((await mail(again))["outcome"], "duplicate");
  });

  test("about somebody else's domain is ignored, and it is said why", async () => {
    const item = await mail(mailWith(gzipSync(recentReport({ domain: "elsewhere.example" }))));
    assert.equal(item["outcome"], "ignored");
    assert.match(item["why"] ?? "", /elsewhere\.example, which is no domain of this account/);
  });

  test("of a neighbour brings nothing into another account's numbers", async () => {
    const neighbour = await app.addAccount();
    const theirs = await ownDomain(app, "neighbour.example", neighbour.accountId);
    const file = recentReport({ domain: "neighbour.example", reportId: "by a neighbour" });
    assert.equal((await mail(mailWith(gzipSync(file))))["outcome"], "ignored");
    assert.equal((await uploadReport(app, file)).body.code, "foreign_domain");
    const { body } = await app.api("GET", `/v1/deliverability/dmarc?group_by=day&domain_id=${theirs}`, {
      key: neighbour.key,
    });
    assert.equal(body.totals?.messages, 0, JSON.stringify(body));
    const asked = await app.api("GET", `/v1/deliverability/dmarc?group_by=day&domain_id=${theirs}`);
    assert.equal(asked.body.totals?.messages ?? 0, 0, asked.text);
  });

  test("that is a report about TLS is put aside under its own kind, whatever its file is called", async () => {
    const report = '{"organization-name":"Receiver","policies":[]}';
    const heads = "TLS-Report-Domain: mailed.example\r\nTLS-Report-Submitter: receiver.example\r\n";
    for (const raw of [
      mailWith(gzipSync(report), "application/tlsrpt+gzip"),
      mailWith(gzipSync(report), "application/gzip"),
      Buffer.concat([Buffer.from(heads), mailWith(Buffer.from(report), "application/json")]),
      Buffer.concat([Buffer.from(heads), mailWith(Buffer.from("nothing of the kind"), "text/plain")]),
    ]) {
      const item = await mail(raw);
      assert.deepEqual([item["kind"], item["outcome"], item["state"]], ["tls_report", "ignored", "read"]);
      assert.match(item["why"] ?? "", /TLS/);
    }
    const { body } = await app.api("GET", "/v1/inbound?kind=tls_report");
    assert.equal(body.data.length, 4);
    const other = await app.api("GET", "/v1/inbound?kind=other");
    assert.deepEqual(other.body.data, []);
  });
});

test("the command takes files, and says what became of each", async () => {
  await ownDomain(app, "command.example");
  const good = join(app.dataDir, "good.xml");
  const bad = join(app.dataDir, "bad.xml");
  writeFileSync(good, recentReport({ domain: "command.example" }));
  writeFileSync(bad, "nothing");
  const run = promisify(execFile)(process.execPath, ["src/cli/cli.ts", "reports", "import", good, bad], {
    env: {
      ...process.env,
      DATABASE_URL: app.databaseUrl,
      SECRET_KEY: "a secret key for tests of 32 characters or more",
      DATA_DIR: app.dataDir,
    },
  });
  const { code, stdout } = await run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: { code: number; stdout: string }) => error,
  );
  assert.equal(code, 1);
  assert.match(stdout, /good\.xml: 5 messages from command\.example, told by receiver\.example\n/);
  assert.match(stdout, /bad\.xml: there is no DMARC aggregate report in it\n/);
});

test("what is older than 13 months is forgotten", async () => {
  const inTwoYears = new Date(Date.now() + 730 * 86_400_000);
  await removeOldReports(app.db, inTwoYears);
  const { body } = await app.api("GET", "/v1/deliverability/reports");
  assert.deepEqual(body.data, []);
  assert.equal((await numbersBy(app, "source")).totals.messages, 0);
});
