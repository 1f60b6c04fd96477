/**
 * Reading a report and testing a mail, interrupted between any two of their steps: the database fails the statement once, as it does
 * for a process that dies there, and what is done again counts once.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { listEgressAddresses } from "../../src/delivery/delivery.ts";
import { storeInbound } from "../../src/inbound/inbound.ts";
import { mailWith } from "../../src/mail/dmarc-reports/reports.fixture.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { raw, sql } from "../../src/platform/db/db.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import { createApp, TEST_SECRET_KEY, type TestApp, WITH_UNSUBSCRIBE } from "../support/app.ts";
import { makeCampaign } from "../support/campaigns.ts";
import { numbersBy, ownDomain, recentReport } from "../support/dmarc.ts";
import { type DnsServer, startDnsServer } from "../support/dns-server.ts";
import { type PassingRelay, startPassingRelay } from "../support/mail-tests.ts";
import { type Json, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const DOMAIN = "bounces.example.net";
const EGRESS = "5.6.7.8";

let app: TestApp;
let relay: PassingRelay;
let dns: DnsServer;
let accountId: string;
let campaign: string;
before(async () => {
  [relay, dns] = await Promise.all([startPassingRelay(), startDnsServer()]);
  app = await createApp({
    settings: {
      INBOUND_DOMAIN: DOMAIN,
      INBOUND_PORT: "0",
      SMTP_URL: `smtp://127.0.0.1:${relay.port}`,
      DNS_SERVERS: dns.address,
      PUBLIC_URL: "https://mail.example.org",
    },
    served: WITH_UNSUBSCRIBE,
  });
  accountId = uuidOf("acc", app.accountId);
  const list = await makeList(app);
  await app.api("PATCH", `/v1/lists/${list}`, { body: { postal_address: "1 High Street, London" } });
  campaign = (await makeCampaign(app, list, { from_email: "news@example.org", html: "<p>Hello</p>" })).id;
  // A sequence counts on though its transaction is undone, so that only the first statement fails.
  await app.db.execute(sql`create sequence interrupted`);
  await app.db.execute(sql`
    create function interrupt() returns trigger language plpgsql as $$
    begin
      if nextval('interrupted') = 1 then raise exception 'interrupted' using errcode = 'P0001'; end if;
      return new;
    end $$`);
});
after(async () => {
  await app.stop();
  await Promise.all([relay.close(), dns.close()]);
});

type Step = { readonly table: string; readonly on: string; readonly when?: string };
let interrupting: string | undefined;
afterEach(async () => {
  if (interrupting) await app.db.execute(sql`drop trigger interrupting on ${raw(interrupting)}`);
  interrupting = undefined;
});

/** Lets the first statement of this kind fail. */
async function interrupt({ table, on, when = "true" }: Step): Promise<void> {
  await app.db.execute(sql`alter sequence interrupted restart`);
  await app.db.execute(sql`
    create trigger interrupting after ${raw(on)} on ${raw(table)} for each row when (${raw(when)})
    execute function interrupt()`);
  interrupting = table;
}

async function wasInterrupted(): Promise<boolean> {
  const { is_called } = await app.db.one<{ is_called: boolean }>(sql`select is_called from interrupted`);
  return is_called;
}

/** Makes what failed due at once, in place of in half a minute. */
async function hurry(): Promise<void> {
  await app.db.execute(
    sql`update inbound_items set leased_until = null where state = 'waiting' and failure is not null`,
  );
  await app.db.execute(
    sql`update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null`,
  );
}

async function arrive(
  addressed: NonNullable<Parameters<typeof storeInbound>[2][number]["addressed"]>,
  mail: { readonly raw: Buffer; readonly from: string },
): Promise<string> {
  const item = {
    accountId,
    channel: "smtp",
    channelId: null,
    provider: null,
    envelopeFrom: mail.from,
    addressed,
    raw: mail.raw,
    session: { ip: EGRESS, helo: "mx.relay.example", tls: "TLSv1.3" },
  } as const;
  const tools = { secrets: createSecrets([TEST_SECRET_KEY]), clock: systemClock };
  const [id] = await app.db.transaction((tx) => storeInbound(tx, tools, [item]));
  return id ?? assert.fail("it was stored before");
}

describe("a report that is interrupted", () => {
  const STEPS: Readonly<Record<string, Step>> = {
    "while it is claimed": { table: "inbound_items", on: "update of attempts", when: "new.attempts = 1" },
    "while it is marked read": { table: "inbound_items", on: "update of state", when: "new.state = 'read'" },
    "while it is kept": { table: "dmarc_reports", on: "insert" },
    "while its rows are counted": { table: "dmarc_rows", on: "insert" },
    "while its sources are added up": { table: "dmarc_source_counts", on: "insert" },
    "while its days are added up": { table: "dmarc_daily", on: "insert" },
    "while it is said what became of it": { table: "inbound_items", on: "update of why" },
  };
  for (const [nth, [what, step]] of Object.entries(STEPS).entries())
    test(`${what} is counted once`, async () => {
      const domain = `interrupted${nth}.example`;
      const domainId = await ownDomain(app, domain);
      await interrupt(step);
      const file = gzipSync(recentReport({ domain, records: [{ count: 7 }, { ip: "192.0.2.9", count: 4 }] }));
      const id = await arrive({ kind: "dmarc_report" }, { raw: mailWith(file), from: "r@receiver.example" });
      const read = () =>
        app.db.maybeOne<{ outcome: string }>(
          sql`select outcome from inbound_items where account_id = ${accountId} and id = ${id} and state = 'read'`,
        );
      await until(wasInterrupted);
      await until(async () => {
        await hurry();
        return (await read()) !== undefined;
      });
      assert.equal((await read())?.outcome, "counted");
      for (const grouping of ["source", "reporter", "day", "selector"]) {
        const { totals, data } = await numbersBy(app, grouping, `&domain_id=${domainId}`);
        const sum = data.reduce((all: number, one: { messages: number }) => all + one.messages, 0);
        assert.deepEqual([totals.messages, totals.reports, sum], [11, 1, 11], grouping);
      }
    });
});

describe("a mail test that is interrupted", () => {
  const STEPS: Readonly<Record<string, Step>> = {
    "after the relay took the mail": {
      table: "mail_tests",
      on: "update of sent_at",
      when: "new.reply is not null",
    },
    "while the arrival is noted": { table: "mail_tests", on: "update of item_id" },
    "while the report is written": { table: "mail_tests", on: "update of report" },
    "while the address is learnt": { table: "transport_addresses", on: "insert or update" },
  };
  for (const [what, step] of Object.entries(STEPS))
    test(`${what} ends with one report`, async () => {
      await app.db.execute(sql`delete from transport_addresses`);
      await interrupt(step);
      const begun = await app.api("POST", "/v1/deliverability/tests", { body: { campaign_id: campaign } });
      assert.equal(begun.status, 202, begun.text);
      const { id, address } = begun.body as { id: string; address: string };
      const ofTest = () => relay.held.filter(({ to }) => to === address);
      const isSent = async () =>
        (await app.api("GET", `/v1/deliverability/tests/${id}`)).body.sent_at !== null;
      await until(async () => {
        await hurry();
        return isSent();
      });
      const addressed = { kind: "mail_test", testId: uuidOf("mtt", id) } as const;
      // Where nobody knew that the relay had it, it left twice.
      for (const [nth, mail] of ofTest().entries()) {
        const received = Buffer.from(`Received: by mx with SMTP id ${nth}\r\n`);
        await arrive(addressed, { ...mail, raw: Buffer.concat([received, mail.raw]) });
      }
      let over: Json = {};
      await until(async () => {
        await hurry();
        over = (await app.api("GET", `/v1/deliverability/tests/${id}`)).body;
        return over["status"] !== "waiting";
      });
      assert.equal(over["status"], "done", JSON.stringify(over["failure"]));
      assert.ok(await wasInterrupted());
      assert.equal((await listEgressAddresses(app.db, accountId)).length, 1);
      await until(async () => {
        await hurry();
        const waiting = await app.db.many(sql`select from inbound_items where state = 'waiting'`);
        return waiting.length === 0;
      });
      const outcomes = await app.db.many<{ outcome: string }>(
        sql`select outcome from inbound_items where account_id = ${accountId} and test_id = ${addressed.testId} order by outcome`,
      );
      assert.equal(outcomes.filter(({ outcome }) => outcome === "tested").length, 1);
      assert.equal(outcomes.length, ofTest().length);
    });
});
