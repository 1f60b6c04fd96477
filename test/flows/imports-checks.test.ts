/** Imports check addresses by their domains, which jobs look up once, by a real DNS server. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { importFile, makeList, upload } from "../support/imports.ts";

let app: TestApp;
let dns: DnsServer;
before(async () => {
  dns = await startDnsServer();
  dns.set("mx.relay.net", "A", ["93.184.216.34"]);
  dns.set("good.net", "MX", [{ exchange: "mx.relay.net", preference: 10 }]);
  dns.set("refuses.net", "MX", [{ exchange: ".", preference: 0 }]);
  dns.misbehave("broken.net", "servfail");
  app = await createApp({ settings: { DNS_SERVERS: dns.address } });
});
after(async () => {
  await app.stop();
  await dns.close();
});

const ROWS =
  "email,first_name\nada@good.net,Ada\nsales@good.net,Desk\nada@gnail.com,Slip\nbob@refuses.net,Bob\neve@broken.net,Eve\nnobody,Fault\nzoe@example.com,Zoe\n";

const emailsOf = async (listId: string): Promise<string[]> =>
  (await app.api("GET", `/v1/subscribers?list_id=${listId}&sort=email&limit=200`)).body.data.map(
    ({ email }: { email: string }) => email,
  );

const COUNTS = {
  ok: 1,
  risky: 1,
  bad: 3,
  unknown: 1,
  reasons: { role: 1, typo: 1, no_such_domain: 1, null_mx: 1, dns_failed: 1, reserved_domain: 1 },
};

test("by default an import reports what it found, and imports every row", async () => {
  const listId = await makeList(app);
  const done = await importFile(app, { list_id: listId }, ROWS);
  assert.equal(done.options.checks, "report");
  assert.deepEqual(done.checks, COUNTS);
  assert.equal(done.counts.created, 6);
  assert.equal(done.counts.failed, 1);
  const listed = await app.api("GET", `/v1/imports/${done.id}/checks`);
  assert.equal(listed.status, 200, listed.text);
  assert.match(listed.headers.get("content-type") ?? "", /^text\/csv/);
  assert.deepEqual(listed.text.trim().split("\r\n"), [
    "row,result,reasons,suggestion,email,first_name",
    "3,risky,role,,sales@good.net,Desk",
    "4,bad,no_such_domain typo,ada@gmail.com,ada@gnail.com,Slip",
    "5,bad,null_mx,,bob@refuses.net,Bob",
    "8,bad,reserved_domain,,zoe@example.com,Zoe",
  ]);
  const errors = await app.api("GET", `/v1/imports/${done.id}/errors`);
  assert.equal(errors.text.trim().split("\r\n").length, 2, "what was imported is no error");
  assert.ok((await emailsOf(listId)).includes("ada@gnail.com"), "a suggestion is never applied by itself");
});

test("skip_bad leaves out what can't be reached, and nothing that is only risky or unknown", async () => {
  const listId = await makeList(app);
  const done = await importFile(app, { list_id: listId, checks: "skip_bad" }, ROWS);
  assert.deepEqual(done.checks, COUNTS);
  assert.deepEqual(await emailsOf(listId), ["ada@good.net", "eve@broken.net", "sales@good.net"]);
  const { total, created, updated, skipped, failed } = done.counts;
  assert.deepEqual([created, failed], [3, 4]);
  assert.equal(total, created + updated + skipped + failed);
  const errors = await app.api("GET", `/v1/imports/${done.id}/errors`);
  const codes = errors.text
    .trim()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",")[2]);
  assert.deepEqual(codes, ["no_such_domain", "null_mx", "invalid_email", "reserved_domain"]);
  assert.match(errors.text, /was ada@gmail\.com meant\?/);
  const listed = await app.api("GET", `/v1/imports/${done.id}/checks`);
  assert.equal(listed.text.trim().split("\r\n").length, 2);
});

test("with off nothing is looked up, and nothing is counted", async () => {
  const listId = await makeList(app);
  const before = dns.queries.length;
  const done = await importFile(app, { list_id: listId, checks: "off" }, "email\nada@unasked.net\n");
  assert.equal(done.checks, null);
  assert.equal(done.counts.created, 1);
  assert.ok(!dns.queries.slice(before).some(({ name }) => name === "unasked.net"));
});

test("who isn't to be mailed isn't checked, and what a file says against mail holds", async () => {
  const listId = await makeList(app);
  const csv = "email,status\nada@refuses.net,unsubscribed\nbob@refuses.net,active\n";
  const done = await importFile(app, { list_id: listId, checks: "skip_bad" }, csv);
  assert.deepEqual([done.checks.bad, done.counts.created, done.effects.opted_out], [1, 1, 1]);
});

test("a domain of many rows is asked about once, also in a dry run", async () => {
  const listId = await makeList(app);
  dns.set("crowd.net", "MX", [{ exchange: "mx.relay.net", preference: 10 }]);
  const csv = `email\n${Array.from({ length: 5_000 }, (_, at) => `person${at}@crowd.net`).join("\n")}\n`;
  const tried = await importFile(app, { list_id: listId, dry_run: true, checks: "skip_bad" }, csv);
  assert.deepEqual([tried.checks.ok, tried.counts.created], [5_000, 5_000]);
  const done = await importFile(app, { list_id: listId, checks: "skip_bad" }, csv);
  assert.deepEqual([done.checks.ok, done.counts.created], [5_000, 5_000]);
  assert.equal(dns.queries.filter(({ name, type }) => name === "crowd.net" && type === "MX").length, 1);
});

test("what is listed goes when the person is forgotten", async () => {
  const listId = await makeList(app);
  const done = await importFile(app, { list_id: listId }, "email\ncarl@gnail.com\n");
  const [person] = (await app.api("GET", `/v1/subscribers?list_id=${listId}`)).body.data;
  assert.equal((await app.api("POST", `/v1/subscribers/${person.id}/forget`)).status, 202);
  const listed = await app.api("GET", `/v1/imports/${done.id}/checks`);
  assert.ok(!listed.text.includes("carl"), listed.text);
  const kept = await app.db.many(sql`select from import_errors where suggestion like 'carl%'`);
  assert.equal(kept.length, 0);
});

test("suppressions take no checks, and another word is refused", async () => {
  const listId = await makeList(app);
  const refused = await upload(app, { target: "suppressions", checks: "report" }, "email\nada@good.net\n");
  assert.equal(refused.status, 422);
  for (const checks of ["yes", null]) {
    const { status, body } = await upload(app, { list_id: listId, checks }, "email\nada@good.net\n");
    assert.deepEqual([status, body.errors.length, body.errors[0].pointer], [422, 1, "/checks"], `${checks}`);
  }
});
