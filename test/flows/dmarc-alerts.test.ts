/** Alerts that DMARC reports open: how they end, and what forged reports can't do with them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { NamePayload } from "../../src/deliverability/dmarc/job-kinds.ts";
import { dmarcJobs } from "../../src/deliverability/dmarc/jobs.ts";
import { sql } from "../../src/platform/db/db.ts";
import { createDns } from "../../src/platform/dns.ts";
import { createLog } from "../../src/platform/log.ts";
import { createApp, type TestApp } from "../support/app.ts";
import { createTestClock, type TestClock } from "../support/clock.ts";
import { ownDomain, recentReport, uploadReport } from "../support/dmarc.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { type Json, settled } from "../support/subscribers.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const OWN_IP = "198.51.100.7";
const FORGER_IP = "198.51.100.66";
const log = createLog({ level: "silent", pretty: false });

let app: TestApp;
let clock: TestClock;
let dns: DnsServer;
before(async () => {
  dns = await startDnsServer();
  clock = createTestClock();
  app = await createApp({ clock, settings: { ROLES: "api" } });
});
after(async () => {
  await app.stop();
  await dns.close();
});

type Records = NonNullable<Parameters<typeof recentReport>[0]["records"]>;

/** An account with a domain, for which reports come and are looked at. */
async function setUp(domain: string) {
  const { accountId: account_id, key } = await app.addAccount();
  const domainId = await ownDomain(app, domain, account_id);
  const tools = {
    dns: createDns({ servers: [dns.address], timeoutMs: 500, tries: 1 }),
    ownAddresses: async () => [OWN_IP],
  };
  const { jobs, watching } = dmarcJobs(tools);
  const naming = jobs.find(({ name }) => name === "name_dmarc_sources") ?? assert.fail("no such job");
  const job = { db: app.db, clock, log, signal: new AbortController().signal, attempt: 1 };
  let reports = 0;
  const look = () => naming.run(job, { account_id } satisfies NamePayload);
  return {
    key,
    domainId,
    account_id,
    look,
    watch: () => watching.run(job, {}),
    async report(records: Records) {
      const file = recentReport({ domain, reportId: `r${++reports}`, records });
      const reply = await uploadReport(app, file, key);
      assert.equal(reply.status, 201, reply.text);
      await look();
    },
    async alerts(): Promise<string[]> {
      const { body } = await app.api("GET", "/v1/deliverability/alerts", { key });
      return body.data.map((one: Json) => `${one["kind"]} ${one["severity"]} ${one["status"]}`).sort();
    },
    async opened(): Promise<number> {
      await settled(app);
      const { body } = await app.api("GET", "/v1/events?type=alert.opened", { key });
      return body.data.length;
    },
    async mails(): Promise<number> {
      const { count } = await app.db.one<{ count: number }>(sql`
        select count(*)::int as count from graphile_worker._private_jobs j
        join graphile_worker._private_tasks t on t.id = j.task_id
        where t.identifier = 'notice' and j.payload->>'account_id' = ${account_id}`);
      return count;
    },
  };
}

const failing = (count: number) => [{ ip: OWN_IP, count, dkim: "fail" }] as const;
const forged = [{ ip: FORGER_IP, count: 500, dkim: "fail" }] as const;

test("alerts end when reports stop coming", async () => {
  const account = await setUp("stopped.example");
  await account.report([...failing(40), ...forged]);
  assert.deepEqual(await account.alerts(), [
    "dmarc_failing critical open",
    "dmarc_unknown_source warning open",
  ]);
  clock.step(20 * DAY);
  await account.watch();
  const jobs = await app.db.many(sql`
    select from graphile_worker.jobs where key = ${`name_dmarc_sources ${account.account_id}`} and run_at <= now()`);
  assert.equal(jobs.length, 1);
  await account.look();
  assert.deepEqual(await account.alerts(), [
    "dmarc_failing critical closed",
    "dmarc_unknown_source warning closed",
  ]);
  clock.step(-20 * DAY);
});

test("alerts end when their domain is deleted", async () => {
  const account = await setUp("deleted.example");
  await account.report([...failing(40), ...forged]);
  const reply = await app.api("DELETE", `/v1/domains/${account.domainId}`, { key: account.key });
  assert.equal(reply.status, 204, reply.text);
  assert.deepEqual(await account.alerts(), [
    "dmarc_failing critical closed",
    "dmarc_unknown_source warning closed",
  ]);
});

test("reports that tell now of more and now of less neither change nor repeat what was told", async () => {
  const account = await setUp("flapping.example");
  const passing = (count: number) => [{ ip: OWN_IP, count }] as const;
  const before = await account.mails();
  await account.report(failing(1_000));
  await account.report(passing(9_000));
  await account.report(failing(90_000));
  assert.deepEqual(await account.alerts(), ["dmarc_failing critical open"]);
  assert.deepEqual([await account.opened(), await account.mails()], [1, before + 1]);
  for (const factor of [1, 100, 10_000]) {
    await account.report(passing(90_000 * 30 * factor));
    await account.report(failing(90_000 * 300 * factor));
  }
  assert.equal((await account.alerts()).at(-1), "dmarc_failing critical open");
  assert.equal(await account.mails(), before + 1);
});
