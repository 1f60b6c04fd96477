/** The checklist over the whole program: numbers per provider, complaint rates that are entered, and what stays unknown. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { addDomain } from "../support/domains.ts";
import type { Json } from "../support/subscribers.ts";

const PATH = "/v1/deliverability/checklist";
const RATES = "/v1/deliverability/complaint_rates";
const OWN_TRANSPORT = "00000000-0000-0000-0000-000000000000";
const SANDBOX = "00000000-0000-0000-0000-000000000001";

let app: TestApp;
before(async () => {
  app = await createApp({ settings: { ROLES: "api" } });
});
after(() => app.stop());

/** A source that has ended, as the ledger and its counts by domain and by time show it. */
async function sent(
  accountId: string,
  domains: Record<string, number>,
  { transport = OWN_TRANSPORT, days = [1] }: { transport?: string; days?: readonly number[] } = {},
): Promise<string> {
  const id = newId(systemClock);
  const worker = newId(systemClock);
  const total = Object.values(domains).reduce((sum, one) => sum + one, 0);
  await app.db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, on_ambiguous, launched_at, ended_at)
      values (${accountId}, ${id}, ${id}, 'campaign', ${transport}, 'finished', ${id}, 'skip', now(), now())`);
    for (const [domain, count] of Object.entries(domains))
      await tx.execute(sql`
        insert into source_domains (account_id, source_id, domain, recipients, sent, deferred, failed, unknown, skipped, hard, soft,
                                    block, counted_at)
        values (${accountId}, ${id}, ${domain}, ${count}, ${count}, 0, 0, 0, 0, 0, 0, 0, now())`);
    for (const day of days)
      await tx.execute(sql`
        insert into counters_by_time (account_id, source_id, worker_id, what, at, count)
        values (${accountId}, ${id}, ${worker}, 'sent', date_trunc('day', now()) - make_interval(days => ${day}), ${total / days.length})`);
  });
  return id;
}

async function complain(accountId: string, sourceId: string, domain: string, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    const contact = newId(systemClock);
    // Each is told of twice, and counts once.
    for (const _ of [1, 2])
      await app.db.execute(sql`
        insert into inbound_reports (account_id, item_id, n, kind, told, source_id, contact_id, domain, outcome, why, received_at)
        values (${accountId}, ${newId(systemClock)}, 0, 'complaint', '', ${sourceId}, ${contact}, ${domain}, 'suppressed', '', now())`);
  }
}

async function read(
  key: string,
): Promise<{ rules: Map<string, Json>; volumes: Map<string, Json>; body: Json }> {
  const reply = await app.api("GET", PATH, { key });
  assert.equal(reply.status, 200, reply.text);
  const by = (rows: Json[], name: string) => new Map(rows.map((row) => [String(row[name]), row]));
  return {
    rules: by(reply.body.data, "code"),
    volumes: by(reply.body.volumes, "provider"),
    body: reply.body,
  };
}

describe("the checklist", () => {
  test("of a new account knows what it can't know, and names its sources", async () => {
    const { key } = await app.addAccount();
    const { rules, body } = await read(key);
    assert.equal(rules.size, 24);
    assert.deepEqual([body["is_bulk"], rules.get("spf")?.["status"]], [false, "unknown"]);
    assert.equal(rules.get("complaint_rate_gmail")?.["status"], "unknown");
    for (const rule of rules.values()) {
      assert.ok((rule["providers"] as string[]).length > 0);
      assert.ok((rule["sources"] as Json[]).every((source) => String(source["url"]).startsWith("https://")));
      assert.equal(rule["remedy"] === null, rule["status"] === "pass", String(rule["code"]));
    }
  });

  test("holds complaints against the mail of the same provider, by the day", async () => {
    const { accountId, key } = await app.addAccount();
    const first = await sent(
      accountId,
      { "gmail.com": 12_000, "yahoo.com": 1_000, "aol.com": 1_000, "": 1_000 },
      { days: [1, 2, 3] },
    );
    await sent(accountId, { "gmail.com": 2_000, "googlemail.com": 10 });
    await sent(accountId, { "gmail.com": 90_000, "hotmail.com": 7_000 }, { transport: SANDBOX });
    await complain(accountId, first, "yahoo.com", 6);
    await complain(accountId, first, "aol.com", 4);
    const { volumes, rules, body } = await read(key);
    const gmail = volumes.get("gmail");
    assert.deepEqual(
      [gmail?.["accepted"], gmail?.["most_in_a_day"], gmail?.["is_bulk"]],
      [14_010, 6_010, true],
    );
    assert.equal(body["is_bulk"], true);
    const yahoo = volumes.get("yahoo");
    assert.deepEqual(
      [
        yahoo?.["accepted"],
        yahoo?.["complaints"],
        yahoo?.["complaint_rate"],
        yahoo?.["complaint_rate_source"],
      ],
      [2_000, 10, 0.005, "feedback"],
    );
    assert.equal(rules.get("complaint_rate_yahoo")?.["status"], "fail");
    assert.deepEqual([volumes.get("microsoft")?.["accepted"], gmail?.["complaints"]], [0, null]);
    const other = await app.addAccount();
    assert.equal((await read(other.key)).volumes.get("gmail")?.["accepted"], 0);
  });

  test("counts into alignment only what left by the account's own addresses", async () => {
    const { accountId, key } = await app.addAccount();
    const domainId = await addDomain(app.db, accountId, { name: "aligned.example" });
    await app.db.execute(sql`
      insert into transport_addresses (account_id, transport_id, address, helo, first_seen_at, last_seen_at)
      values (${accountId}, null, '198.51.100.7', 'mx.example', now(), now())`);
    await app.db.execute(sql`
      insert into dmarc_source_counts
      select ${accountId}, ${domainId}, 'day', current_date - 2, one.ip::inet, current_date - 2, one.messages, one.aligned,
        one.aligned, 0, 0, 0
      from (values ('198.51.100.7', 300, 299), ('203.0.113.9', 90000, 0)) as one (ip, messages, aligned)`);
    const rule = (await read(key)).rules.get("dmarc_alignment");
    assert.equal(rule?.["status"], "pass", String(rule?.["evidence"]));
    assert.match(String(rule?.["evidence"]), /reported 300 mails/);
  });

  test("takes the rates of Postmaster Tools, one for each day", async () => {
    const { key } = await app.addAccount();
    const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const put = (body: unknown) => app.api("PUT", RATES, { key, body });
    assert.equal((await put({ provider: "gmail", day, rate: 0.01 })).status, 200);
    assert.equal((await read(key)).rules.get("complaint_rate_gmail")?.["status"], "fail");
    const again = await put({ provider: "gmail", day, rate: 0.0002 });
    assert.deepEqual([again.body.day, again.body.rate], [day, 0.0002]);
    const { rules, volumes } = await read(key);
    assert.equal(rules.get("complaint_rate_gmail")?.["status"], "pass");
    assert.equal(volumes.get("gmail")?.["complaint_rate_source"], "entered");
    const listed = await app.api("GET", RATES, { key });
    assert.deepEqual(
      listed.body.data.map((one: Json) => [one["provider"], one["rate"]]),
      [["gmail", 0.0002]],
    );
    for (const bad of [
      { provider: "gmail", day, rate: 1.5 },
      { provider: "gmail", day, rate: -0.1 },
      { provider: "gmail", day: "2026-02-30", rate: 0 },
      { provider: "gmail", day: "2199-01-01", rate: 0 },
      { provider: "gmail", day: "1999-01-01", rate: 0 },
      { provider: "nobody", day, rate: 0 },
      { provider: "gmail", day, rate: 0, more: 1 },
      { provider: "gmail", day, rate: "0" },
    ])
      assert.equal((await put(bad)).status, 422, JSON.stringify(bad));
    const reader = await app.addKey(["deliverability:read"]);
    assert.equal(
      (await app.api("PUT", RATES, { key: reader, body: { provider: "gmail", day, rate: 0 } })).status,
      403,
    );
  });

  test("finds no look over whole tables in what it asks", async () => {
    const { accountId, key } = await app.addAccount();
    await sent(accountId, { "gmail.com": 10 });
    await read(key);
    const plan = await app.db.transaction(async (tx) => {
      await tx.execute(sql`set local enable_seqscan = off`);
      return tx.many<{ "QUERY PLAN": string }>(sql`
        explain select domain, count(distinct (source_id, contact_id)) from inbound_reports
        where account_id = ${accountId} and kind = 'complaint' and received_at >= now() - interval '30 days'
          and source_id is not null and domain is not null group by domain`);
    });
    const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
    assert.match(text, /complaint|account_id_received_at/);
    assert.doesNotMatch(text, /Seq Scan/);
  });
});
